#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""What NVIDIA's headers call the arguments of CUDA's functions, for the call table's column of them (cutop_call_table.h).

  tests/checks/arguments.py INCLUDE-DIR             holds the table against the headers: a line for each function that differs
  tests/checks/arguments.py INCLUDE-DIR SYMBOL...   prints the column for these functions

Wants clang, and CUDA 13.0's headers for the first. Functions that the headers do not declare are passed over, and so are those whose
class knows its arguments (allocations, frees, copies, launches). Exit status 1 if one differs, or is not declared.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = sys.argv[1] if len(sys.argv) > 1 else "/usr/local/cuda/include"
KNOWN_CLASSES = {"CLASS_ALLOC", "CLASS_FREE", "CLASS_COPY", "CLASS_LAUNCH"}
# What the headers for graphics libraries want of these, whose own headers may not be installed.
GRAPHICS = {
    "GL/gl.h": "typedef unsigned int GLenum, GLuint;",
    "EGL/egl.h": "typedef int EGLint;",
    "EGL/eglext.h": "typedef void *EGLImageKHR, *EGLStreamKHR, *EGLSyncKHR;",
    "vdpau/vdpau.h": "typedef unsigned int VdpDevice, VdpVideoSurface, VdpOutputSurface;\n"
                     "typedef int VdpGetProcAddress(VdpDevice device, unsigned int id, void **function);",
}
HEADERS = ["vdpau/vdpau.h", "cuda.h", "cudaEGL.h", "cudaGL.h", "cudaProfiler.h", "cudaVDPAU.h", "cuda_runtime_api.h",
           "cuda_egl_interop.h", "cuda_gl_interop.h", "cuda_profiler_api.h", "cuda_vdpau_interop.h"]
# Versions between the first and today's, whose arguments the header does not have.
OLDER = {"cudaStreamGetCaptureInfo_v2"}
# Structs by value that fit registers, and how many they take (System V ABI, 3.2.3), and those that lie in memory.
IN_REGISTERS = {"CUmemLocation": 1, "cudaMemLocation": 1, "CUmemLocation_st": 1, "dim3": 2}
IN_MEMORY = {"cudaPitchedPtr", "cudaExtent", "cudaIpcEventHandle_st", "cudaIpcEventHandle_t", "CUipcEventHandle", "CUipcEventHandle_st"}


def table():
    """(symbol, class, options, arguments) of each function of the table, in order."""
    text = subprocess.run(["sh", os.path.join(HERE, "table.sh")], check=True, capture_output=True, encoding="utf-8").stdout
    for line in text.splitlines():
        symbol, _, kind, _, options, arguments, _ = line.split(";")
        yield symbol, kind, options, arguments.strip('"')


def declarations():
    """Parameters, as clang sees them, by function."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in GRAPHICS.items():
            os.makedirs(os.path.join(folder, os.path.dirname(name)), exist_ok=True)
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text + "\n")
        with open(os.path.join(folder, "all.c"), "w", encoding="utf-8") as file:
            file.writelines(f"#include <{header}>\n" for header in HEADERS)
        tree = subprocess.run(["clang", "-D__CUDA_API_VERSION_INTERNAL", "-I", folder, "-I", INCLUDE, "-Xclang", "-ast-dump=json",
                               "-fsyntax-only", file.name], check=True, capture_output=True).stdout
    functions = {}
    for node in json.loads(tree)["inner"]:
        if node.get("kind") == "TypedefDecl":
            TYPEDEFS[node["name"]] = node["type"].get("desugaredQualType", node["type"]["qualType"])
        if node.get("kind") != "FunctionDecl":
            continue
        functions[node["name"]] = [
            (p.get("name", ""), p["type"]["qualType"], p["type"].get("desugaredQualType", p["type"]["qualType"]))
            for p in node.get("inner", []) if p["kind"] == "ParmVarDecl"]
    return functions


def scalar(written, plain):
    """The letter of a type that is no pointer to something; '' for a struct by value."""
    bare = re.sub(r"\b(const|volatile|enum)\b", "", plain).strip()
    if re.fullmatch(r"(CUdeviceptr(_v\d)?|CUmemGenericAllocationHandle|CUgraphConditionalHandle|cudaGraphConditionalHandle|CUtexObject|CUsurfObject|cudaTextureObject_t|cudaSurfaceObject_t)",
                    written.replace("const ", "").strip()):
        return "p"
    if written.replace("const ", "").strip() in ("cudaStream_t", "CUstream"):
        return "s"
    if bare.endswith("*") or "(*" in bare:
        return "p"
    if bare in ("float", "double"):
        return "x"
    if bare in ("unsigned long long", "unsigned long", "size_t"):
        return "z"
    if bare in ("unsigned int", "unsigned char", "unsigned short"):
        return "u"
    if bare in ("int", "char", "short") or "enum" in plain:
        return "i"
    return ""


TYPEDEFS = {}


def resolved(name):
    """What a typedef stands for in the end."""
    while name in TYPEDEFS and TYPEDEFS[name] != name:
        name = TYPEDEFS[name]
    return name


def pointee(written, plain):
    """What a pointer to a result points at, as a letter, or None if it is no such pointer."""
    if not plain.endswith("*") or "const" in written.split("*")[0] or "(*" in plain:
        return None
    inner_written = written[:-1].strip() if written.endswith("*") else ""
    inner = resolved(inner_written)
    if inner in ("void", "char") or not inner_written:
        return None
    if inner == "float":
        return "f"
    letter = scalar(inner_written, inner)
    return letter if letter in ("p", "s", "z", "u", "i") else None


def signature(parameters):
    words, word = [], 0
    for name, written, plain in parameters:
        result = pointee(written, plain)
        if result:
            words.append(f"{name}:{'p' if result == 's' else result}*")
            word += 1
            continue
        letter = scalar(written, plain)
        if letter == "x":
            continue
        if not letter:
            registers = IN_REGISTERS.get(plain.replace("struct ", ""), 0)
            words += [f"{name if i == 0 else ''}:p" for i in range(registers)]
            if plain.replace("struct ", "") in IN_MEMORY:
                words.append(":m")
            continue
        words.append(f"{name}:{letter}")
    return " ".join(words)


def is_later(options, version):
    """Whether a function came after the headers' version: what they call so is another one."""
    since = re.search(r"CALL_SINCE\((\d+), (\d+)\)", options)
    return since and int(since[1]) * 1000 + int(since[2]) * 10 > version


def declared(symbol, functions):
    """The arguments of a function; None if the headers do not have it."""
    base = re.sub(r"_pt[sd][sz]$", "", symbol)
    plain = base if base in OLDER else re.sub(r"_v\d$", "", base)  # today's header declares the newest under the plain name
    for name in (symbol, base, plain):
        if name in functions:
            return signature(functions[name])
    return None


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: arguments.py INCLUDE-DIR [SYMBOL...]")
    try:
        with open(os.path.join(INCLUDE, "cuda.h"), encoding="utf-8") as file:
            version = int(re.search(r"^#define CUDA_VERSION (\d+)", file.read(), re.MULTILINE)[1])
    except OSError as error:
        sys.exit(f"arguments.py: {error.filename}: {error.strerror}; name the toolkit's include directory")
    functions = declarations()
    failed = held = 0
    for symbol in sys.argv[2:]:
        text = declared(symbol, functions)
        print(f'{symbol}: "{text}"' if text is not None else f"{symbol}: not declared in {INCLUDE}")
        failed += text is None
    for symbol, kind, options, arguments in table() if len(sys.argv) == 2 else ():
        text = None if kind in KNOWN_CLASSES or is_later(options, version) else declared(symbol, functions)
        if text is None:
            continue
        held += 1
        if text != arguments:
            print(f'{symbol}: the table says "{arguments}", {INCLUDE} "{text}"')
            failed += 1
    if len(sys.argv) == 2:
        print(f"{held} functions held against {INCLUDE}, {failed} differ")
    sys.exit(failed != 0)


main()
