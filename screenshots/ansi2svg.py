#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Turns captures of a terminal (tmux capture-pane -e -p) into an SVG picture.

usage: ansi2svg.py [-t TITLE] [-s SECONDS] COLUMNS ROWS OUT.svg CAPTURE...

One capture gives a still picture; several give an animation that shows each of
them for SECONDS, over and over. Every cell is placed by itself, so that the
picture keeps the terminal's grid whatever font the viewer has.
"""
import argparse
import html
import re
import unicodedata

BASIC = ["#1d1f21", "#cc6666", "#8fbf6a", "#e0b95f", "#6f9fd8", "#b294bb", "#6fbfb7", "#c5c8c6",
         "#666a6e", "#ff7a76", "#b5e08a", "#ffd97a", "#8fc1ff", "#d8b4e2", "#8fe3da", "#ffffff"]
FOREGROUND, BACKGROUND = "#c5c8c6", "#16181a"
CELL_WIDTH, CELL_HEIGHT, FONT_SIZE = 8.4, 17, 14
TOKEN = re.compile(r"\x1b\[([0-9;:]*)m|\x1b[()][A-Za-z0-9]|[\x0e\x0f]|\x1b\[[0-9;?]*[A-Za-z]|(.)", re.S)


def color(index):
    if index < 16:
        return BASIC[index]
    if index < 232:
        index -= 16
        levels = [0, 95, 135, 175, 215, 255]
        return "#%02x%02x%02x" % (levels[index // 36], levels[index // 6 % 6], levels[index % 6])
    return "#%02x%02x%02x" % ((8 + 10 * (index - 232),) * 3)


class Style:
    def __init__(self):
        self.reset()

    def reset(self):
        self.fg = self.bg = None
        self.bold = self.dim = self.underline = self.reverse = self.italic = False

    def apply(self, text):
        codes = [int(c or 0) for c in re.split("[;:]", text)] if text else [0]
        while codes:
            code = codes.pop(0)
            if code == 0:
                self.reset()
            elif code in (1, 2, 3, 4, 7):
                setattr(self, {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse"}[code], True)
            elif code == 22:
                self.bold = self.dim = False
            elif code in (23, 24, 27):
                setattr(self, {23: "italic", 24: "underline", 27: "reverse"}[code], False)
            elif 30 <= code <= 37 or 90 <= code <= 97:
                self.fg = color(code - 30 if code < 90 else code - 82)
            elif 40 <= code <= 47 or 100 <= code <= 107:
                self.bg = color(code - 40 if code < 100 else code - 92)
            elif code == 39:
                self.fg = None
            elif code == 49:
                self.bg = None
            elif code in (38, 48) and codes:
                kind = codes.pop(0)
                value = None
                if kind == 5 and codes:
                    value = color(codes.pop(0))
                elif kind == 2 and len(codes) >= 3:
                    value = "#%02x%02x%02x" % tuple(codes[:3])
                    del codes[:3]
                setattr(self, "fg" if code == 38 else "bg", value)

    def colors(self):
        fg, bg = self.fg or FOREGROUND, self.bg
        if self.reverse:
            fg, bg = bg or BACKGROUND, self.fg or FOREGROUND
        return fg, bg


def runs(capture, columns, rows):
    """Yields (row, column, text, cells, foreground, background, style) of equal style, a row at a time."""
    style = Style()
    for row, line in enumerate(capture.split("\n")[:rows]):
        column, run = 0, None
        for match in TOKEN.finditer(line):
            if match.group(1) is not None or match.group(2) is None:
                if match.group(1) is not None:
                    style.apply(match.group(1))
                continue
            char = match.group(2)
            width = 0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
            if column + width > columns:
                break
            look = style.colors() + (style.bold, style.dim, style.underline)
            if run and run[4] == look and char.isascii() and run[2].isascii():
                run[2] += char
                run[3] += width
            else:
                if run:
                    yield run
                run = [row, column, char, width, look]
            column += width
        if run:
            yield run


def frame(capture, columns, rows):
    shapes, texts = [], []
    for row, column, text, width, (fg, bg, bold, dim, underline) in runs(capture, columns, rows):
        x, y = column * CELL_WIDTH, row * CELL_HEIGHT
        if bg:
            shapes.append('<rect x="%.1f" y="%d" width="%.1f" height="%d" fill="%s"/>'
                          % (x, y, width * CELL_WIDTH + 0.3, CELL_HEIGHT, bg))
        if not text.strip():
            continue
        extra = ' font-weight="bold"' if bold else ""
        extra += ' opacity="0.6"' if dim else ""
        extra += ' text-decoration="underline"' if underline else ""
        texts.append('<text x="%.1f" y="%.1f" textLength="%.1f" lengthAdjust="spacingAndGlyphs" fill="%s"%s>%s</text>'
                     % (x, y + 13, width * CELL_WIDTH, fg, extra, html.escape(text)))
    return "\n".join(shapes + texts)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("-t", "--title", default="cutop")
    parser.add_argument("-s", "--seconds", type=float, default=1.0)
    parser.add_argument("columns", type=int)
    parser.add_argument("rows", type=int)
    parser.add_argument("out")
    parser.add_argument("captures", nargs="+")
    args = parser.parse_args()
    width, height = args.columns * CELL_WIDTH + 16, args.rows * CELL_HEIGHT + 16
    frames = []
    for name in args.captures:
        with open(name, encoding="utf-8", errors="replace") as file:
            frames.append(frame(file.read(), args.columns, args.rows))
    with open(args.out, "w", encoding="utf-8") as out:
        out.write('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" width="%.0f" height="%.0f">\n'
                  % (width, height, width, height))
        out.write("<title>%s</title>\n" % html.escape(args.title))
        out.write('<rect width="100%%" height="100%%" rx="6" fill="%s"/>\n' % BACKGROUND)
        out.write('<g transform="translate(8 8)" font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" '
                  'font-size="%d" xml:space="preserve">\n' % FONT_SIZE)
        if len(frames) == 1:
            out.write(frames[0])
        else:
            count, total = len(frames), len(frames) * args.seconds
            for i, content in enumerate(frames):
                begin, end = i / count, (i + 1) / count
                out.write('<g display="none">\n<animate attributeName="display" dur="%gs" repeatCount="indefinite" '
                          'calcMode="discrete" keyTimes="0;%.4f;%.4f" values="none;inline;none"/>\n%s\n</g>\n'
                          % (total, begin, min(end, 0.9999), content) if i else
                          '<g>\n<animate attributeName="display" dur="%gs" repeatCount="indefinite" '
                          'calcMode="discrete" keyTimes="0;%.4f" values="inline;none"/>\n%s\n</g>\n'
                          % (total, end, content))
        out.write("</g>\n</svg>\n")


if __name__ == "__main__":
    main()
