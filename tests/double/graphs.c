// SPDX-License-Identifier: GPL-2.0-or-later
/* Graphs: thin calls, each one driver call. */
#include "runtime.h"

API cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned int flags)
{
	ENTER();
	return rt_done(cuGraphCreate(graph, flags));
}

API cudaError_t cudaGraphDestroy(cudaGraph_t graph)
{
	ENTER();
	return rt_done(cuGraphDestroy(graph));
}

API cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
				       const cudaGraphNode_t *deps, size_t num,
				       const struct cudaKernelNodeParams *p)
{
	CUDA_KERNEL_NODE_PARAMS driver = { 0 };

	ENTER();
	if (!p)
		return rt_fail(cudaErrorInvalidValue);
	driver.kern = rt_kernel(p->func);
	if (!driver.kern)
		return rt_fail(cudaErrorInvalidDeviceFunction);
	driver.gridDimX = p->gridDim.x;
	driver.gridDimY = p->gridDim.y;
	driver.gridDimZ = p->gridDim.z;
	driver.blockDimX = p->blockDim.x;
	driver.blockDimY = p->blockDim.y;
	driver.blockDimZ = p->blockDim.z;
	driver.sharedMemBytes = p->sharedMemBytes;
	driver.kernelParams = p->kernelParams;
	driver.extra = p->extra;
	return rt_done(cuGraphAddKernelNode_v2(node, graph, deps, num, &driver));
}

API cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t *node, cudaGraph_t graph,
				       const cudaGraphNode_t *deps, size_t num,
				       const struct cudaMemcpy3DParms *p)
{
	CUDA_MEMCPY3D box;
	cudaError_t err;

	ENTER();
	err = rt_box_3d(&box, p);
	if (err)
		return rt_fail(err);
	return rt_done(cuGraphAddMemcpyNode(node, graph, deps, num, &box,
					    rt_context(rt_device)));
}

API cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *node, cudaGraph_t graph,
					 const cudaGraphNode_t *deps, size_t num,
					 void *dst, const void *src, size_t count,
					 enum cudaMemcpyKind kind)
{
	struct cudaMemcpy3DParms p = {
		.srcPtr = { (void *)(uintptr_t)src, count, count, 1 },
		.dstPtr = { dst, count, count, 1 },
		.extent = { count, 1, 1 }, .kind = kind,
	};
	CUDA_MEMCPY3D box;
	cudaError_t err;

	ENTER();
	err = rt_box_3d(&box, &p);
	if (err)
		return rt_fail(err);
	return rt_done(cuGraphAddMemcpyNode(node, graph, deps, num, &box,
					    rt_context(rt_device)));
}

API cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t *node, cudaGraph_t graph,
				       const cudaGraphNode_t *deps, size_t num,
				       const struct cudaMemsetParams *p)
{
	CUDA_MEMSET_NODE_PARAMS driver;

	ENTER();
	if (!p)
		return rt_fail(cudaErrorInvalidValue);
	driver = (CUDA_MEMSET_NODE_PARAMS) {
		(uintptr_t)p->dst, p->pitch, p->value, p->elementSize,
		p->width, p->height,
	};
	return rt_done(cuGraphAddMemsetNode(node, graph, deps, num, &driver,
					    rt_context(rt_device)));
}

API cudaError_t cudaGraphAddHostNode(cudaGraphNode_t *node, cudaGraph_t graph,
				     const cudaGraphNode_t *deps, size_t num,
				     const struct cudaHostNodeParams *p)
{
	ENTER();
	return rt_done(cuGraphAddHostNode(node, graph, deps, num,
					  (const CUDA_HOST_NODE_PARAMS *)p));
}

API cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
				      const cudaGraphNode_t *deps, size_t num)
{
	ENTER();
	return rt_done(cuGraphAddEmptyNode(node, graph, deps, num));
}

API cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *num)
{
	ENTER();
	return rt_done(cuGraphGetNodes(graph, nodes, num));
}

API cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph,
				     unsigned long long flags)
{
	ENTER();
	return rt_done(cuGraphInstantiateWithFlags(exec, graph, flags));
}

API cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph,
					      unsigned long long flags)
{
	ENTER();
	return rt_done(cuGraphInstantiateWithFlags(exec, graph, flags));
}

API cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec)
{
	ENTER();
	return rt_done(cuGraphExecDestroy(exec));
}
