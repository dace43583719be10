#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Makes the tables of arguments from NVIDIA's public headers: their names and what they are.

  tests/generate-arguments.py FOLDER [INCLUDE-DIR]

writes arguments_runtime_table.h and arguments_driver_table.h into FOLDER, which
is src/model. The result is committed, because building cutop needs no CUDA toolkit.
Wants clang. Functions of the call table whose class knows its arguments (copies,
launches, allocations, frees) have no line, nor have those that the headers no
longer declare.
"""
import json
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
INCLUDE = sys.argv[2] if len(sys.argv) > 2 else "/usr/local/cuda/include"
# The tables, and the header with the lines of each.
TABLES = {"runtime": "cutop_calls.h", "driver": "cutop_driver_calls.h"}
KNOWN_CLASSES = {"CLASS_ALLOC", "CLASS_FREE", "CLASS_COPY", "CLASS_LAUNCH"}
# In no public header; crt/host_runtime.h, which nvcc includes, has them.
INTERNAL = {
    "__cudaRegisterFunction": "fatCubinHandle:p hostFun:p deviceFun:p deviceName:p thread_limit:i tid:p",
    "__cudaRegisterVar": "fatCubinHandle:p hostVar:p deviceAddress:p deviceName:p ext:i size:z",
    "__cudaRegisterManagedVar": "fatCubinHandle:p hostVarPtrAddress:p deviceAddress:p deviceName:p ext:i size:z",
    "__cudaGetKernel": "kernel:p* entryFuncAddr:p",
}
# Of CUDA 13.1 to 13.3: NVIDIA's references of the runtime and driver APIs have the names.
NEWER = {
    "cudaDevResourceGenerateDesc": "phDesc:p* resources:p nbResources:u",
    "cudaDevSmResourceSplit": "result:p nbGroups:u input:p remainder:p flags:u groupParams:p",
    "cudaDevSmResourceSplitByCount": "result:p nbGroups:u* input:p remaining:p flags:u minCount:u",
    "cudaDeviceGetDevResource": "device:i resource:p type:i",
    "cudaDeviceGetExecutionCtx": "ctx:p* device:i",
    "cudaExecutionCtxDestroy": "ctx:p",
    "cudaExecutionCtxGetDevResource": "ctx:p resource:p type:i",
    "cudaExecutionCtxGetDevice": "device:i* ctx:p",
    "cudaExecutionCtxGetId": "ctx:p ctxId:z*",
    "cudaExecutionCtxRecordEvent": "ctx:p event:p",
    "cudaExecutionCtxStreamCreate": "phStream:p* ctx:p flags:u priority:i",
    "cudaExecutionCtxSynchronize": "ctx:p",
    "cudaExecutionCtxWaitEvent": "ctx:p event:p",
    "cudaFuncGetParamCount": "func:p paramCount:z*",
    "cudaGraphConditionalHandleCreate_v2": "pHandle_out:p* graph:p ctx:p defaultLaunchValue:u flags:u",
    "cudaGraphExecGetId": "hGraphExec:p graphID:u*",
    "cudaGraphGetId": "hGraph:p graphID:u*",
    "cudaGraphNodeGetContainingGraph": "hNode:p phGraph:p*",
    "cudaGraphNodeGetLocalId": "hNode:p nodeId:u*",
    "cudaGraphNodeGetParams": "node:p nodeParams:p",
    "cudaGraphNodeGetToolsId": "hNode:p toolsNodeId:z*",
    "cudaGreenCtxCreate": "phCtx:p* desc:p device:i flags:u",
    "cudaLaunchHostFunc_v2": "stream:s fn:p userData:p syncMode:u",
    "cudaStreamBeginRecaptureToGraph": "stream:s mode:i graph:p callbackData:p",
    "cudaStreamGetDevResource": "hStream:s resource:p type:i",
    "cuCoredumpDeregisterCompleteCallback": "callback:p",
    "cuCoredumpDeregisterStartCallback": "callback:p",
    "cuCoredumpRegisterCompleteCallback": "callback:p userData:p callbackOut:p*",
    "cuCoredumpRegisterStartCallback": "callback:p userData:p callbackOut:p*",
    "cuDevSmResourceSplit": "result:p nbGroups:u input:p remainder:p flags:u groupParams:p",
    "cuFuncGetParamCount": "func:p paramCount:z*",
    "cuGraphExecGetId": "hGraphExec:p graphId:u*",
    "cuGraphGetId": "hGraph:p graphId:u*",
    "cuGraphNodeGetContainingGraph": "hNode:p phGraph:p*",
    "cuGraphNodeGetLocalId": "hNode:p nodeId:u*",
    "cuGraphNodeGetParams": "hNode:p nodeParams:p",
    "cuGraphNodeGetToolsId": "hNode:p toolsNodeId:z*",
    "cuKernelGetParamCount": "kernel:p paramCount:z*",
    "cuLaunchHostFunc_v2": "hStream:s fn:p userData:p syncMode:u",
    "cuLogicalEndpointAddDevice": "leId:u dev:i",
    "cuLogicalEndpointBindAddr": "leId:u dev:i offset:z ptr:p size:z flags:z",
    "cuLogicalEndpointBindMem": "leId:u dev:i offset:z memHandle:p memOffset:z size:z flags:z",
    "cuLogicalEndpointCreate": "leId:u prop:p",
    "cuLogicalEndpointDestroy": "leId:u",
    "cuLogicalEndpointExport": "handle:p leId:u handleType:i",
    "cuLogicalEndpointGetLimits": "bindAlignment:z* maxSize:z* prop:p",
    "cuLogicalEndpointIdRelease": "baseLeId:u count:u",
    "cuLogicalEndpointIdReserve": "baseLeId:u* count:u",
    "cuLogicalEndpointImport": "leId:u handle:p handleType:i",
    "cuLogicalEndpointQuery": "leId:u count:u queryStatus:i*",
    "cuLogicalEndpointUnbind": "leId:u dev:i offset:z size:z",
    "cuMulticastBindAddr_v2": "mcHandle:p dev:i mcOffset:z memptr:p size:z flags:z",
    "cuMulticastBindMem_v2": "mcHandle:p dev:i mcOffset:z memHandle:p memOffset:z size:z flags:z",
    "cuStreamBeginCaptureToCig": "hStream:s streamCigCaptureParams:p",
    "cuStreamBeginRecaptureToGraph": "hStream:s mode:i hGraph:p callbackFunc:p userData:p",
    "cuStreamEndCaptureToCig": "hStream:s",
    "cuStreamGetDevResource": "hStream:s resource:p type:i",
}
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
# Structs by value that fit registers, and how many they take (System V ABI, 3.2.3), and those that lie in memory: arguments.c.
IN_REGISTERS = {"CUmemLocation": 1, "cudaMemLocation": 1, "CUmemLocation_st": 1, "dim3": 2}
IN_MEMORY = {"cudaPitchedPtr", "cudaExtent", "cudaIpcEventHandle_st", "cudaIpcEventHandle_t", "CUipcEventHandle", "CUipcEventHandle_st"}


def calls(header):
    """(symbol, class) of the lines of the call table in a header, in order."""
    with open(os.path.join(HERE, "..", "include", header), encoding="utf-8") as file:
        return re.findall(r"CUTOP_CALL\((\w+), LAYER_\w+, (CLASS_\w+),", file.read())


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


def lines(header, functions):
    """A line for each function of a header's part of the call table whose arguments have to be told."""
    for symbol, kind in calls(header):
        if kind in KNOWN_CLASSES:
            continue
        base = re.sub(r"_pt[sd][sz]$", "", symbol)
        text = INTERNAL.get(symbol) or NEWER.get(base)
        if text is None:
            plain = re.sub(r"_v\d$", "", base)  # today's header declares the newest under the plain name
            if base in OLDER:
                plain = base
            parameters = functions.get(symbol) or functions.get(base) or functions.get(plain)
            if not parameters:
                continue
            text = signature(parameters)
        if text:
            yield f'\tARGUMENTS({symbol}, "{text}")'


def main():
    if len(sys.argv) < 2:
        sys.exit("usage: generate-arguments.py FOLDER [INCLUDE-DIR]")
    if not os.access(os.path.join(INCLUDE, "cuda.h"), os.R_OK):
        print(f"generate-arguments.py: {INCLUDE}/cuda.h cannot be read; name the toolkit's include directory",
              file=sys.stderr)
        sys.exit(77)
    functions = declarations()
    for layer, header in TABLES.items():
        text = " \\\n".join(lines(header, functions))
        with open(os.path.join(sys.argv[1], f"arguments_{layer}_table.h"), "w", encoding="utf-8") as file:
            file.write(f"""/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Made by tests/generate-arguments.py from NVIDIA's public headers (names and
 * kinds of arguments only); do not edit. The {layer}'s functions; each word is
 * an argument, in the order of integer registers: its name, and what it is
 * (arguments.c).
 */
#define {layer.upper()}_ARGUMENTS(ARGUMENTS) \\
""")
            file.write(text + "\n")


main()
