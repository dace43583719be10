# SPDX-License-Identifier: GPL-2.0-or-later
"""The demonstration's Python program: a training loop that keeps what it should give back.

train.py SECONDS LIBRARY: LIBRARY is the CUDA runtime, or the double of it.
"""
import ctypes
import sys
import time

MIB = 1 << 20
cuda = ctypes.CDLL(sys.argv[2])


class Buffer:
	def __init__(self, size):
		self.address = ctypes.c_void_p()
		if cuda.cudaMalloc(ctypes.byref(self.address), ctypes.c_size_t(size)):
			raise MemoryError(size)

	def free(self):
		cuda.cudaFree(self.address)


class Validator:
	def __init__(self):
		self.history = []

	def evaluate(self):
		scratch = Buffer(4 * MIB)
		self.history.append(Buffer(MIB // 2))  # never given back: this is the leak
		scratch.free()


def load_model():
	return [Buffer(size * MIB) for size in (48, 24, 12)]


def step(batch):
	activations = [Buffer(8 * MIB) for _ in range(3)]
	host = ctypes.create_string_buffer(MIB)
	cuda.cudaMemcpy(batch.address, host, ctypes.c_size_t(MIB), 1)
	cuda.cudaDeviceSynchronize()
	for buffer in activations:
		buffer.free()


def main():
	end = time.monotonic() + float(sys.argv[1])
	model, batch, validator = load_model(), Buffer(MIB), Validator()
	while time.monotonic() < end:
		for _ in range(16):
			step(batch)
			time.sleep(0.02)
		try:
			validator.evaluate()
		except MemoryError:  # after hours: begin again
			for buffer in validator.history:
				buffer.free()
			validator.history.clear()
	for buffer in model + [batch]:
		buffer.free()


main()
