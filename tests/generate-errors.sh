#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes src/cuda/errors_table.h from NVIDIA's public headers: codes and names,
# and whether the error ends all further work of the process. The result is
# committed, because building cutop needs no CUDA toolkit.
#
#   tests/generate-errors.sh [INCLUDE-DIR] > src/cuda/errors_table.h
#   tests/generate-errors.sh --list [INCLUDE-DIR]    one "layer code name sticky" per line, for the test
set -eu

list=no
if [ "${1-}" = --list ]; then
	list=yes
	shift
fi
include=${1-/usr/local/cuda/include}
for header in driver_types.h cuda.h; do
	if [ ! -r "$include/$header" ]; then
		echo "generate-errors.sh: $include/$header: cannot be read; name the toolkit's include directory" >&2
		exit 77
	fi
done

# Prints "layer code name sticky" for each constant of an enum. The comment
# before a constant says of a sticky one that the process must be relaunched.
constants() {
	awk -v layer="$1" -v open="$2" -v close_="$3" '
	$0 ~ open { inside = 1 }
	inside && $0 ~ close_ { exit }
	!inside { next }
	{ comment = comment " " $0; gsub(/[ \t*]+/, " ", comment) }
	match($0, /(cuda(Success|Error)[A-Za-z0-9]*|CUDA_(SUCCESS|ERROR_[A-Z0-9_]*))[ \t]*=[ \t]*[0-9]+/) {
		text = substr($0, RSTART, RLENGTH)
		name = text; sub(/[ \t]*=.*/, "", name)
		code = text; sub(/.*=[ \t]*/, "", code)
		print layer, code, name, comment ~ /must be terminated/ ? 1 : 0
		comment = ""
	}' "$4"
}

# Codes of the runtime that toolkits from 10.2 on had and 13.0 no longer has.
removed() {
	present=$1
	while read -r code name; do
		printf '%s\n' "$present" | grep -q "^runtime $code " || echo "runtime $code $name 0"
	done <<-'END'
	5 cudaErrorProfilerDisabled
	6 cudaErrorProfilerNotInitialized
	7 cudaErrorProfilerAlreadyStarted
	8 cudaErrorProfilerAlreadyStopped
	17 cudaErrorInvalidDevicePointer
	22 cudaErrorAddressOfConstant
	23 cudaErrorTextureFetchFailed
	24 cudaErrorTextureNotBound
	25 cudaErrorSynchronizationError
	28 cudaErrorMixedDeviceExecution
	31 cudaErrorNotYetImplemented
	32 cudaErrorMemoryValueTooLarge
	53 cudaErrorPriorLaunchFailure
	65 cudaErrorLaunchMaxDepthExceeded
	66 cudaErrorLaunchFileScopedTex
	67 cudaErrorLaunchFileScopedSurf
	68 cudaErrorSyncDepthExceeded
	69 cudaErrorLaunchPendingCountExceeded
	10000 cudaErrorApiFailureBase
	END
}

# Codes that toolkits after 13.0 have: NVIDIA's references of both APIs, 13.1 to 13.3.
added() {
	cat <<-'END'
	runtime 10 cudaErrorVersionTranslation 0
	runtime 917 cudaErrorStreamDetached 0
	runtime 918 cudaErrorGraphRecaptureFailure 0
	driver 917 CUDA_ERROR_STREAM_DETACHED 0
	driver 918 CUDA_ERROR_GRAPH_RECAPTURE_FAILURE 0
	END
}

runtime=$(constants runtime 'enum .*cudaError$' '^};' "$include/driver_types.h")
driver=$(constants driver '^typedef enum cudaError_enum' '^} CUresult' "$include/cuda.h")

if [ $list = yes ]; then
	printf '%s\n%s\n' "$runtime" "$driver"
	exit 0
fi

cat <<'END'
/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Made by tests/generate-errors.sh from NVIDIA's public headers driver_types.h
 * and cuda.h (codes and names only); do not edit. ERROR(code, name, sticky), by code.
 */
/* clang-format off */
END
for layer in runtime driver; do
	echo
	echo "#define $(echo $layer | tr a-z A-Z)_ERRORS(ERROR) \\"
	{ eval "printf '%s\n' \"\$$layer\""; added | grep "^$layer "; [ $layer = driver ] || removed "$runtime"; } |
		sort -n -k 2,2 -u | awk '{ lines[NR] = "\tERROR(" $2 ", " $3 ", " $4 ")" }
			END { for (i = 1; i <= NR; i++) print lines[i] (i < NR ? " \\" : "") }'
done
