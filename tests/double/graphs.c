// SPDX-License-Identifier: GPL-2.0-or-later
/* Graphs: thin calls, each one driver call. */
#include <string.h>
#include "runtime.h"

_Static_assert(sizeof(struct cudaMemAllocNodeParams) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS),
	       "the same layout");

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

static cudaError_t kernel_params(CUDA_KERNEL_NODE_PARAMS *driver,
				 const struct cudaKernelNodeParams *p)
{
	*driver = (CUDA_KERNEL_NODE_PARAMS){ 0 };
	if (!p)
		return cudaErrorInvalidValue;
	driver->kern = rt_kernel(p->func);
	if (!driver->kern)
		return cudaErrorInvalidDeviceFunction;
	driver->gridDimX = p->gridDim.x;
	driver->gridDimY = p->gridDim.y;
	driver->gridDimZ = p->gridDim.z;
	driver->blockDimX = p->blockDim.x;
	driver->blockDimY = p->blockDim.y;
	driver->blockDimZ = p->blockDim.z;
	driver->sharedMemBytes = p->sharedMemBytes;
	driver->kernelParams = p->kernelParams;
	driver->extra = p->extra;
	return cudaSuccess;
}

static cudaError_t node_params(CUgraphNodeParams *driver, const struct cudaGraphNodeParams *p)
{
	*driver = (CUgraphNodeParams){ 0 };
	if (!p)
		return cudaErrorInvalidValue;
	driver->type = (int)p->type;
	if (p->type == cudaGraphNodeTypeKernel)
		return kernel_params(&driver->kernel, &p->kernel);
	if (p->type == cudaGraphNodeTypeGraph)
		driver->graph = p->graph;
	if (p->type == cudaGraphNodeTypeMemAlloc)
		memcpy(&driver->alloc, &p->alloc, sizeof(driver->alloc));
	if (p->type == cudaGraphNodeTypeMemFree)
		driver->freed = (uintptr_t)p->free.dptr;
	return cudaSuccess;
}

API cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t *node, cudaGraph_t graph,
				       const cudaGraphNode_t *deps, size_t num,
				       const struct cudaKernelNodeParams *p)
{
	CUDA_KERNEL_NODE_PARAMS driver;
	cudaError_t err;

	ENTER();
	err = kernel_params(&driver, p);
	if (err)
		return rt_fail(err);
	return rt_done(cuGraphAddKernelNode_v2(node, graph, deps, num, &driver));
}

API cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node,
					     const struct cudaKernelNodeParams *p)
{
	CUDA_KERNEL_NODE_PARAMS driver;
	cudaError_t err;

	ENTER();
	err = kernel_params(&driver, p);
	if (err)
		return rt_fail(err);
	return rt_done(cuGraphKernelNodeSetParams_v2(node, &driver));
}

API cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
						 const struct cudaKernelNodeParams *p)
{
	CUDA_KERNEL_NODE_PARAMS driver;
	cudaError_t err;

	ENTER();
	err = kernel_params(&driver, p);
	if (err)
		return rt_fail(err);
	return rt_done(cuGraphExecKernelNodeSetParams_v2(exec, node, &driver));
}

static struct cudaKernelNodeParams kernel_told(const CUDA_KERNEL_NODE_PARAMS *driver)
{
	return (struct cudaKernelNodeParams){
		driver->func ? (void *)driver->func : (void *)driver->kern,
		{ driver->gridDimX, driver->gridDimY, driver->gridDimZ },
		{ driver->blockDimX, driver->blockDimY, driver->blockDimZ },
		driver->sharedMemBytes,
		driver->kernelParams,
		driver->extra,
	};
}

API cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, int attribute,
						const CUlaunchAttributeValue *value)
{
	ENTER();
	return rt_done(cuGraphKernelNodeSetAttribute(node, attribute, value));
}

API cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *p)
{
	CUDA_KERNEL_NODE_PARAMS driver;
	CUresult err;

	ENTER();
	if (!p)
		return rt_fail(cudaErrorInvalidValue);
	err = cuGraphKernelNodeGetParams_v2(node, &driver);
	if (!err)
		*p = kernel_told(&driver);
	return rt_done(err);
}

API cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph,
				 const cudaGraphNode_t *deps, const void *edges, size_t num,
				 struct cudaGraphNodeParams *p)
{
	CUgraphNodeParams driver;
	cudaError_t err;

	ENTER();
	err = node_params(&driver, p);
	if (!err)
		err = (cudaError_t)cuGraphAddNode_v2(node, graph, deps, edges, num, &driver);
	if (err)
		return rt_fail(err);
	if (p->type == cudaGraphNodeTypeMemAlloc)
		p->alloc.dptr = (void *)(uintptr_t)driver.alloc.dptr;
	return cudaSuccess;
}

API cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *p)
{
	CUgraphNodeParams driver;
	cudaError_t err;

	ENTER();
	err = node_params(&driver, p);
	if (err)
		return rt_fail(err);
	return rt_done(cuGraphNodeSetParams(node, &driver));
}

API cudaError_t cudaGraphNodeGetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *p)
{
	CUgraphNodeParams driver;
	CUresult err;

	ENTER();
	if (!p)
		return rt_fail(cudaErrorInvalidValue);
	err = cuGraphNodeGetParams(node, &driver);
	if (err)
		return rt_done(err);
	*p = (struct cudaGraphNodeParams){ .type = (enum cudaGraphNodeType)driver.type };
	if (p->type == cudaGraphNodeTypeKernel)
		p->kernel = kernel_told(&driver.kernel);
	else if (p->type == cudaGraphNodeTypeGraph)
		p->graph = driver.graph;
	else if (p->type == cudaGraphNodeTypeMemAlloc)
		p->alloc.dptr = (void *)(uintptr_t)driver.alloc.dptr;
	return cudaSuccess;
}

API cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
					   struct cudaGraphNodeParams *p)
{
	CUgraphNodeParams driver;
	cudaError_t err;

	ENTER();
	err = node_params(&driver, p);
	if (err)
		return rt_fail(err);
	return rt_done(cuGraphExecNodeSetParams(exec, node, &driver));
}

API cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph,
					   const cudaGraphNode_t *deps, size_t num,
					   cudaGraph_t child)
{
	ENTER();
	return rt_done(cuGraphAddChildGraphNode(node, graph, deps, num, child));
}

API cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node,
						     cudaGraph_t child)
{
	ENTER();
	return rt_done(cuGraphExecChildGraphNodeSetParams(exec, node, child));
}

API cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node)
{
	ENTER();
	return rt_done(cuGraphDestroyNode(node));
}

API cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node,
					unsigned int enabled)
{
	ENTER();
	return rt_done(cuGraphNodeSetEnabled(exec, node, enabled));
}

API cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph)
{
	ENTER();
	return rt_done(cuGraphClone(clone, graph));
}

API cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph,
				    cudaGraphExecUpdateResultInfo *info)
{
	CUresult err;

	ENTER();
	err = cuGraphExecUpdate_v2(exec, graph, info);
	if (info)
		*info = (cudaGraphExecUpdateResultInfo){ .result = err ? 1 : 0 };
	return rt_done(err);
}

API cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph,
				      const cudaGraphNode_t *deps, size_t num)
{
	ENTER();
	return rt_done(cuGraphAddEmptyNode(node, graph, deps, num));
}

API cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph,
					 const cudaGraphNode_t *deps, size_t num,
					 struct cudaMemAllocNodeParams *params)
{
	ENTER();
	return rt_done(cuGraphAddMemAllocNode(node, graph, deps, num,
					      (CUDA_MEM_ALLOC_NODE_PARAMS *)params));
}

API cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph,
					const cudaGraphNode_t *deps, size_t num, void *ptr)
{
	ENTER();
	return rt_done(cuGraphAddMemFreeNode(node, graph, deps, num, (uintptr_t)ptr));
}

API cudaError_t cudaDeviceGetGraphMemAttribute(int device, int attribute, void *value)
{
	ENTER();
	return rt_done(cuDeviceGetGraphMemAttribute(device, attribute, value));
}

API cudaError_t cudaDeviceGraphMemTrim(int device)
{
	ENTER();
	return rt_done(cuDeviceGraphMemTrim(device));
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
