/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of control groups, as Docker, containerd, CRI-O, Podman, Kubernetes, LXC and systemd make
 * them, and as nobody should.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "collect/process_identity.h"
#include "probe_tests.h"

#define ID     "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define OTHER  "fedcba9876543210fedcba9876543210fedcba9876543210fedcba9876543210"
#define POD    "2c48913c-b29f-11e7-9350-020968147796"
#define POD_   "2c48913c_b29f_11e7_9350_020968147796"
#define STATIC "fc001fc38f31491bf44f5ee2f6ee7a6d"

static const struct {
	const char *cgroups, *id, *pod;
} groups[] = {
	{ "", "", "" },
	{ "0::/\n", "", "" },
	{ "0::/user.slice/user-0.slice/session-1.scope\n", "", "" },
	/* Docker */
	{ "0::/system.slice/docker-" ID ".scope\n", ID, "" },
	{ "12:cpu:/docker/" ID "\n0::/\n", ID, "" },
	{ "0::/docker/" ID, ID, "" },
	{ "0::/docker/" ID "/init\n", ID, "" },
	{ "0::/docker/" OTHER "/docker/" ID "\n", ID, "" },
	{ "0::/user.slice/user-1000.slice/user@1000.service/user.slice/docker-" ID ".scope\n", ID,
	  "" },
	/* seen from another namespace */
	{ "0::/../../docker-" ID ".scope\n", ID, "" },
	/* Podman, with root and without */
	{ "0::/machine.slice/libpod-" ID ".scope/container\n", ID, "" },
	{ "0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID
	  ".scope/container\n",
	  ID, "" },
	/* containerd by itself */
	{ "0::/default/" ID "\n", ID, "" },
	{ "0::/system.slice/nerdctl-" ID ".scope\n", ID, "" },
	/* Kubernetes, driver systemd: containerd, CRI-O, Docker; of each class */
	{ "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD_
	  ".slice/cri-containerd-" ID ".scope\n",
	  ID, POD },
	{ "0::/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" POD_
	  ".slice/crio-" ID ".scope\n",
	  ID, POD },
	{ "0::/kubepods.slice/kubepods-pod" POD_ ".slice/docker-" ID ".scope\n", ID, POD },
	{ "0::/kubepods.slice/kubepods-pod" POD_ ".slice/crio-" ID ".scope/container\n", ID, POD },
	{ "1:name=systemd:/kubepods-burstable-pod" POD_ ".slice:cri-containerd:" ID "\n", ID, POD },
	{ "0::/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod" POD_
	  ".slice/cri-containerd-" ID ".scope\n",
	  ID, POD },
	/* driver cgroupfs, versions 1 and 2 */
	{ "11:memory:/kubepods/burstable/pod" POD "/" ID "\n4:cpu:/kubepods/burstable/pod" POD
	  "/" ID "\n",
	  ID, POD },
	{ "0::/kubepods/besteffort/pod" POD "/" ID "\n", ID, POD },
	{ "0::/kubepods/pod" POD "/" ID "\n", ID, POD },
	/* a static pod's UID is a hash */
	{ "0::/kubepods/burstable/pod" STATIC "/" ID "\n", ID, STATIC },
	{ "0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" STATIC
	  ".slice/crio-" ID ".scope\n",
	  ID, STATIC },
	/* the sandbox of a pod without a container yet; a node that is a container itself */
	{ "0::/kubepods/burstable/pod" POD "\n", "", POD },
	{ "0::/docker/" OTHER "/kubelet/kubepods/pod" POD "/" ID "\n", ID, POD },
	/* LXC, machines */
	{ "0::/lxc.payload.web/init.scope\n", "web", "" },
	{ "3:cpu:/lxc/web-1\n", "web-1", "" },
	{ "0::/machine.slice/machine-deb.scope/x\n", "deb", "" },
	{ "0::/machine.slice/machine-my\\x2dbox.scope\n", "my-box", "" },
	{ "0::/machine.slice/systemd-nspawn@build.service/payload\n", "build", "" },
	/* nearly */
	{ "0::/a/" ID "0\n", "", "" },
	{ "0::/a/g" ID "\n", "", "" },
	{ "0::/a/" ID "g\n", "", "" },
	{ "0::/a/0123456789ABCDEF0123456789abcdef0123456789abcdef0123456789abcdef\n", "", "" },
	{ "0::/kubepods/podman/" ID "\n", ID, "" },
	{ "0::/kubepods/pod" POD "0/" ID "\n", ID, "" },
	{ "0::/kubepods/pod2c48913c-b29f-11e7-9350/" ID "\n", ID, "" },
	{ "0::/tripod" POD "/x\n", "", "" },
	{ "0::/pod", "", "" },
	{ "0::/lxc/\n", "", "" },
	{ "0::/machine-.scope\n", "", "" },
	{ "0::/machine-x.service\n", "", "" },
	/* hostile */
	{ "0::/lxc/\033[2J\n", "?[2J", "" },
	{ "0::/lxc/a\\x1b\\x0a\\xff\\xzz\\x\n", "a???\\xzz\\x", "" },
	{ "0::/lxc/a\xc3\xa9\n", "a??", "" },
};

TEST_LOOP(test_container_names, (sizeof(groups) / sizeof(groups[0])))
{
	struct container container;
	bool any = groups[_i].id[0] || groups[_i].pod[0];

	memset(&container, 'x', sizeof(container));
	ck_assert_int_eq(container_of_cgroups(groups[_i].cgroups, &container), any);
	ck_assert_str_eq(container.id, groups[_i].id);
	ck_assert_str_eq(container.pod, groups[_i].pod);
}

TEST(test_container_long)
{
	static char text[CGROUPS_MAX];
	struct container container;
	size_t i;

	memset(text, 'a', sizeof(text) - 1);
	memcpy(text, "0::/lxc/", 8);
	ck_assert(container_of_cgroups(text, &container));
	ck_assert_uint_eq(strlen(container.id), sizeof(container.id) - 1);
	for (i = 0; i + 4 < sizeof(text); i += 4)
		memcpy(text + i, "/pod", 4);
	ck_assert(!container_of_cgroups(text, &container));
}

TEST(test_container_read)
{
	struct container container;

	ck_assert(container_read((unsigned int)getpid(), &container));
	ck_assert(!container_read(0x7fffffff, &container));
	ck_assert_str_eq(container.id, "");
}
