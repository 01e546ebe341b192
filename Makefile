# SPDX-License-Identifier: BSD-2-Clause
#
# gctrace: the build.
#
#   sources          products
#   bpf/X.bpf.c      $(BUILD)/bpf/X.bpf.o -> $(BUILD)/skel/X.skel.h
#   user/**/*.c      $(BUILD)/libgctrace.a, all but user/cli/main.c -> $(BUILD)/gctrace
#   tests/minivm/    $(BUILD)/minivm
#   agents/X/        $(BUILD)/libgctrace-X.so, with agents/common/
#   tests/unit/      $(BUILD)/tests/unit/**/X_test, one cmocka program a file
#   tests/tools/     $(BUILD)/tests/tools/X, what tests look with; not linked with gctrace's own
#   tests/proof/     $(BUILD)/tests/proof/X, what compares with the small virtual machine's truth
#   tests/fuzz/      $(BUILD)/tests/fuzz/X_fuzz, on a library of its own, built by clang
#   tests/bench/     $(BUILD)/bench/X
#
# Sources are found by wildcard: a new file needs no line here. A change of flags or of compiler
# rebuilds what it concerns (the .flags files), so `make SAN=1` after `make` is right, if slow;
# BUILD=dir keeps two builds apart.

V ?= 0
DEBUG ?= 0
SAN ?= 0
BUILD ?= build
PREFIX ?= /usr/local
SBINDIR ?= $(PREFIX)/sbin
# Agents are looked for in ../lib/gctrace from where the tool is, so that a tree may be moved.
AGENTDIR := $(dir $(patsubst %/,%,$(SBINDIR)))lib/gctrace
LIBDIR ?= $(PREFIX)/lib/gctrace
MANDIR ?= $(PREFIX)/share/man
INCLUDEDIR ?= $(PREFIX)/include
DOCDIR ?= $(PREFIX)/share/doc/gctrace
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
FISHDIR ?= $(PREFIX)/share/fish/vendor_completions.d
VERSION := 0.1.0

.DELETE_ON_ERROR:
.SECONDARY:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
.DEFAULT_GOAL := all

ifeq ($(V),1)
Q :=
say := @:
else
Q := @
say = @printf '  %-8s %s\n'
MAKEFLAGS += --no-print-directory
endif

# ---------------------------------------------------------------------------------------------
# Tools. The first clang and the first bpftool that run; Ubuntu's /usr/sbin/bpftool is a script
# that fails unless the tools of the running kernel are installed, any other one will do as well.

ifeq ($(origin CC),default)
CC := gcc
endif
ifeq ($(origin CXX),default)
CXX := g++
endif
ifeq ($(origin AR),default)
AR := $(if $(filter %-gcc,$(CC)),$(patsubst %-gcc,%-ar,$(CC)),ar)
endif

first_that_runs = $(shell for t in $(1); do "$$t" $(2) >/dev/null 2>&1 && echo "$$t" && break; done)

CLANG ?= $(call first_that_runs,clang $(notdir $(sort $(wildcard \
	/usr/bin/clang-[0-9][0-9] /usr/local/bin/clang-[0-9][0-9]))),--version)
BPFTOOL ?= $(call first_that_runs,bpftool /usr/sbin/bpftool /usr/local/sbin/bpftool \
	$(wildcard /usr/lib/linux-tools*/bpftool /usr/lib/linux-tools*/*/bpftool),version)
CLANG := $(CLANG)
BPFTOOL := $(BPFTOOL)

# Headers of a JDK: JAVA_HOME's, or the first that is installed. Any will do from Java 11 on.
JDK_INCLUDE ?= $(patsubst %/jvmti.h,%,$(firstword $(wildcard \
	$(if $(JAVA_HOME),$(JAVA_HOME)/include/jvmti.h) /usr/lib/jvm/*/include/jvmti.h)))
JDK_INCLUDE := $(JDK_INCLUDE)
jdk_flags = $(if $(JDK_INCLUDE),-isystem $(JDK_INCLUDE) -isystem $(JDK_INCLUDE)/linux)

MACHINE := $(shell $(CC) -dumpmachine 2>/dev/null || uname -m)
MULTIARCH := $(shell $(CC) -print-multiarch 2>/dev/null)
ARCH := $(strip $(if $(filter x86_64-%,$(MACHINE)-),x86,$(if $(filter aarch64-%,$(MACHINE)-),arm64,\
	$(error gctrace is for x86-64 and arm64; $(CC) builds for $(MACHINE)))))

# ---------------------------------------------------------------------------------------------
# Flags. What the user gives as CFLAGS, CPPFLAGS and LDFLAGS comes last and wins.

ifeq ($(DEBUG),1)
CFLAGS ?= -O0 -g3
else
CFLAGS ?= -O2 -g
endif
WARNINGS := -Wall -Wextra -Werror
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer
LIBS ?= -lbpf -lelf -lz -lzstd -lm

common_flags := -std=gnu11 $(WARNINGS) -D_GNU_SOURCE= -DGCTRACE_VERSION='"$(VERSION)"'
common_flags += $(if $(filter 1,$(SAN)),$(SANITIZE))
user_flags := $(common_flags) -Iinclude -Iuser -I. -I$(BUILD)
minivm_flags := $(common_flags) -Iinclude -Itests/minivm -pthread
# Loaded into other programs: no symbol but those asked for is seen there, none is bound late.
agent_flags := $(filter-out $(SANITIZE),$(common_flags)) -Iinclude -I. -pthread -fPIC -fvisibility=hidden
agent_flags += $(jdk_flags)
agent_link_flags := -shared -pthread -Wl,--as-needed -Wl,-z,defs -Wl,-z,now
# user/base/ram.c stands in front of the allocator, also where that is linked in.
user_flags += $(if $(filter -static,$(LDFLAGS)),-DGCTRACE_STATIC)
wrap_flags := $(if $(filter -static,$(LDFLAGS)),$(foreach f,malloc calloc realloc,-Xlinker --wrap=$(f)))
test_flags := $(user_flags) -Itests $(jdk_flags)
link_flags := $(if $(filter 1,$(SAN)),$(SANITIZE)) -Wl,--as-needed -pthread
fuzz_flags := -fsanitize=fuzzer-no-link,address,undefined -fno-sanitize-recover=undefined

BPF_CFLAGS ?= -O2 -g
bpf_flags := -target bpf -std=gnu11 $(WARNINGS) -D__TARGET_ARCH_$(ARCH)
# BPF_USDT and its like declare a ctx that many programs do not use.
bpf_flags += -Wno-unused-parameter -Ivmlinux/$(ARCH) -I. -Iinclude -idirafter /usr/include/$(MULTIARCH)
bpf_flags += -idirafter /usr/$(MULTIARCH)/include

compile = $(CC) $(1) -MMD -MP $(CPPFLAGS) $(CFLAGS) -c -o $@ $<
link = $(CC) $(link_flags) $(CFLAGS) $(LDFLAGS) -o $@

# ---------------------------------------------------------------------------------------------
# Sources

find = $(sort $(shell find $(1) -name '$(2)' -type f 2>/dev/null))

bpf_srcs := $(sort $(wildcard bpf/*.bpf.c))
user_srcs := $(call find,user,*.c)
minivm_srcs := $(sort $(wildcard tests/minivm/*.c))
agent_common_srcs := $(sort $(wildcard agents/common/*.c))
agent_dotnet_srcs := $(sort $(wildcard agents/dotnet/*.c))
agent_hotspot_srcs := $(sort $(wildcard agents/hotspot/*.c))
unit_srcs := $(call find,tests/unit,*_test.c)
unit_support_srcs := $(filter-out $(unit_srcs),$(call find,tests/unit,*.c))
fuzz_srcs := $(sort $(wildcard tests/fuzz/*_fuzz.c))
tool_srcs := $(sort $(wildcard tests/tools/*.c))
proof_files := $(sort $(wildcard tests/proof/*.c))
proof_srcs := $(if $(proof_files),$(shell grep -lE '^int main\>' $(proof_files)))
proof_support_srcs := $(filter-out $(proof_srcs),$(proof_files))
bench_files := $(sort $(wildcard tests/bench/*.c))
bench_srcs := $(if $(bench_files),$(shell grep -lE '^int main\>' $(bench_files)))
bench_support_srcs := $(filter-out $(bench_srcs),$(bench_files))

main_src := user/cli/main.c
lib_srcs := $(filter-out $(main_src),$(user_srcs))

skels := $(bpf_srcs:bpf/%.bpf.c=$(BUILD)/skel/%.skel.h)
lib_objs := $(lib_srcs:%.c=$(BUILD)/obj/%.o)
main_obj := $(main_src:%.c=$(BUILD)/obj/%.o)
minivm_objs := $(minivm_srcs:%.c=$(BUILD)/obj/%.o)
agent_dotnet_objs := $(patsubst %.c,$(BUILD)/agent/%.o,$(agent_common_srcs) $(agent_dotnet_srcs))
agent_hotspot_objs := $(patsubst %.c,$(BUILD)/agent/%.o,$(agent_common_srcs) $(agent_hotspot_srcs))
bench_support_objs := $(bench_support_srcs:%.c=$(BUILD)/obj/%.o)
proof_support_objs := $(proof_support_srcs:%.c=$(BUILD)/obj/%.o)
unit_dotnet_objs := $(patsubst %.c,$(BUILD)/obj/%.o,$(agent_common_srcs) $(agent_dotnet_srcs))
unit_hotspot_objs := $(patsubst %.c,$(BUILD)/obj/%.o,$(agent_common_srcs) $(agent_hotspot_srcs))
unit_support_objs := $(unit_support_srcs:%.c=$(BUILD)/obj/%.o)
fuzz_lib_objs := $(patsubst %.c,$(BUILD)/fuzz/%.o,$(lib_srcs) $(agent_common_srcs) \
	$(agent_dotnet_srcs))
unit_agents := $(BUILD)/tests/unit/libagents.a $(BUILD)/tests/unit/libhotspot.a
unit_support := $(if $(unit_support_srcs),$(BUILD)/tests/unit/libsupport.a)
units := $(unit_srcs:%.c=$(BUILD)/%)
fuzzers := $(fuzz_srcs:%.c=$(BUILD)/%)
benches := $(bench_srcs:tests/%.c=$(BUILD)/%)
tools := $(BUILD)/tests/refuse.so $(tool_srcs:%.c=$(BUILD)/%) $(proof_srcs:%.c=$(BUILD)/%)
lib := $(BUILD)/libgctrace.a
fuzz_lib := $(BUILD)/fuzz/libgctrace.a
gctrace := $(if $(wildcard $(main_src)),$(BUILD)/gctrace)
minivm := $(if $(minivm_srcs),$(BUILD)/minivm)
agents := $(BUILD)/libgctrace-dotnet.so $(BUILD)/libgctrace-hotspot.so

# ---------------------------------------------------------------------------------------------
# Targets for people

.PHONY: all units tools fuzzers benches demo check check-all soak fuzz bench matrices kernels install uninstall clean help

all: $(gctrace) $(lib) $(minivm) $(agents)	## build the tool, the agents and the small virtual machine (the default)

units: $(units)			## build the unit tests

tools: $(tools)			## build what tests look with

fuzzers: $(fuzzers)		## build the fuzz targets

benches: $(benches)		## build the benchmark programs

# clang and bpftool are not handed on: scripts/setup may just have installed them.
export CC CXX BUILD V SAN

# As many jobs as there are processors, unless the caller has said how many.
build = $(MAKE) $(if $(findstring jobserver,$(MAKEFLAGS)),,-j$(shell nproc 2>/dev/null || echo 1))

demo:				## set up, build, trace the small virtual machine for ten seconds
	$(Q)scripts/setup build
	$(Q)+scripts/quietly $(BUILD)/demo.log $(build) all
	$(Q)scripts/demo

# Each behaviour once; the unit tests with sanitizers only.
check:				## set up, build and run the tests (ONLY=glob: those whose name matches)
	$(Q)scripts/setup check
	$(Q)+scripts/quietly $(BUILD)/check.log $(build) all tools fuzzers
	$(Q)+scripts/quietly $(BUILD)/check-san.log $(build) SAN=1 BUILD=$(BUILD)/san units
	$(Q)FUZZ_SECONDS=$${FUZZ_SECONDS:-5} tests/run

check-all:			## check, and all that takes long: every collector and version, kills, applications
	$(Q)scripts/setup check
	$(Q)+scripts/quietly $(BUILD)/check.log $(build) all units tools fuzzers benches
	$(Q)+scripts/quietly $(BUILD)/check-san.log $(build) SAN=1 BUILD=$(BUILD)/san units
	$(Q)tests/run --all

soak:				## the long runs
	$(Q)scripts/setup check
	$(Q)+$(build) all
	$(Q)tests/run --soak

fuzz:				## fuzz every target for FUZZ_SECONDS (default 600) each
	$(Q)scripts/setup check
	$(Q)+$(build) fuzzers
	$(Q)FUZZ_SECONDS=$${FUZZ_SECONDS:-600} tests/run --fuzz

bench:				## measure, and print each figure beside its budget
	$(Q)scripts/setup bench
	$(Q)+$(build) all tools benches
	$(Q)tests/bench/run $(BUILD)

matrices:			## what gctrace sample says against what is so: the tables of docs/sampling.md
	$(Q)scripts/setup check
	$(Q)+$(build) all tools
	$(Q)tests/runtimes/matrices

kernels:			## trace the small virtual machine on other kernels, under qemu
	$(Q)scripts/setup kernels
	$(Q)+$(build) all tools
	$(Q)KERNELS="$${KERNELS:-all}" ONLY='kernels/*' tests/run

man_pages := $(wildcard man/*.8)
documents := LICENSE $(wildcard README.md CONTRIBUTING.md docs/*.md docs/*.json docs/*.png)
examples := $(wildcard docs/example/*)

install: all			## install under PREFIX (default /usr/local), heeds DESTDIR
	$(Q)install -d $(addprefix $(DESTDIR),$(SBINDIR) $(LIBDIR) $(INCLUDEDIR)/gctrace $(MANDIR)/man8 \
		$(DOCDIR)/example $(COMPLETIONDIR) $(ZSHDIR) $(FISHDIR) $(AGENTDIR))
	$(Q)install -m 755 $(BUILD)/gctrace $(DESTDIR)$(SBINDIR)/gctrace
	$(Q)install -m 644 $(agents) $(DESTDIR)$(LIBDIR)/
	$(Q)$(if $(agents),install -m 755 $(agents) $(DESTDIR)$(AGENTDIR)/)
	$(Q)install -m 644 $(wildcard include/gctrace/*.h) $(DESTDIR)$(INCLUDEDIR)/gctrace/
	$(Q)$(if $(man_pages),install -m 644 $(man_pages) $(DESTDIR)$(MANDIR)/man8/)
	$(Q)install -m 644 $(documents) $(DESTDIR)$(DOCDIR)/
	$(Q)$(if $(examples),install -m 644 $(examples) $(DESTDIR)$(DOCDIR)/example/)
	$(Q)$(BUILD)/gctrace completion bash >$(DESTDIR)$(COMPLETIONDIR)/gctrace
	$(Q)$(BUILD)/gctrace completion zsh >$(DESTDIR)$(ZSHDIR)/_gctrace
	$(Q)$(BUILD)/gctrace completion fish >$(DESTDIR)$(FISHDIR)/gctrace.fish

uninstall:			## remove what `make install` put there
	$(Q)rm -f $(DESTDIR)$(SBINDIR)/gctrace $(DESTDIR)$(COMPLETIONDIR)/gctrace \
		$(DESTDIR)$(ZSHDIR)/_gctrace $(DESTDIR)$(FISHDIR)/gctrace.fish \
		$(addprefix $(DESTDIR)$(MANDIR)/man8/,$(notdir $(man_pages)))
	$(Q)rm -rf $(DESTDIR)$(INCLUDEDIR)/gctrace $(DESTDIR)$(DOCDIR) $(DESTDIR)$(AGENTDIR)

clean:				## remove the build directory
	$(Q)rm -rf $(BUILD)

help:				## this list
	@echo 'usage: make [TARGET] [V=1] [DEBUG=1] [SAN=1] [BUILD=dir] [ONLY=glob] [SETUP=no]'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-10s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

# ---------------------------------------------------------------------------------------------
# What is missing is said once, by name of package, before a compiler fails on it.

$(BUILD)/.needs: scripts/setup
	$(Q)mkdir -p $(@D)
	$(Q)SETUP=no scripts/setup build
	$(Q)touch $@

# Flags as last used; rewritten only when they differ, and then everything built by them is old.
define flags_file
$(BUILD)/.flags-$(1): FORCE
	$(Q)mkdir -p $$(@D)
	@echo '$$(subst ','\'',$(2))' | cmp -s - $$@ || echo '$$(subst ','\'',$(2))' >$$@
endef
.PHONY: FORCE
$(eval $(call flags_file,user,$(CC) $(user_flags) $(CPPFLAGS) $(CFLAGS)))
$(eval $(call flags_file,agent,$(CC) $(agent_flags) $(agent_link_flags) $(CPPFLAGS) $(CFLAGS)))
$(eval $(call flags_file,link,$(CC) $(link_flags) $(CFLAGS) $(LDFLAGS) $(LIBS)))
$(eval $(call flags_file,bpf,$(CLANG) $(bpf_flags) $(BPF_CFLAGS) $(BPFTOOL)))
$(eval $(call flags_file,fuzz,$(CLANG) $(user_flags) $(fuzz_flags) $(CPPFLAGS)))

needs := $(if $(wildcard scripts/setup),| $(BUILD)/.needs)

# ---------------------------------------------------------------------------------------------
# BPF programs and their skeletons

$(BUILD)/bpf/%.bpf.o: bpf/%.bpf.c $(BUILD)/.flags-bpf $(needs)
	$(say) BPF $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(bpf_flags) $(BPF_CFLAGS) -MMD -MP -MF $(@:.o=.d) -MT $@ -c -o $(@:.o=.raw.o) $<
	$(Q)$(BPFTOOL) gen object $@ $(@:.o=.raw.o)

$(BUILD)/skel/%.skel.h: $(BUILD)/bpf/%.bpf.o
	$(say) SKEL $@
	$(Q)mkdir -p $(@D)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf >$@

# Sources that include a skeleton wait for all of them the first time; then the .d files know.
skel_users := $(if $(user_srcs)$(unit_srcs),$(shell grep -l '"skel/' $(user_srcs) $(unit_srcs)))
$(skel_users:%.c=$(BUILD)/obj/%.o) $(skel_users:%.c=$(BUILD)/fuzz/%.o): | $(skels)

# ---------------------------------------------------------------------------------------------
# The system calls of the machine that is built for, by the C library's list: SYSCALL(name) lines

$(BUILD)/gen/syscalls.h: $(BUILD)/.flags-user $(needs)
	$(say) GEN $@
	$(Q)mkdir -p $(@D)
	$(Q)echo '#include <sys/syscall.h>' | $(CC) -E -dM - | \
		sed -n 's/^#define SYS_\([a-z0-9_]*\) .*/SYSCALL(\1)/p' | sort >$@

$(BUILD)/obj/user/target/waiting.o $(BUILD)/fuzz/user/target/waiting.o: $(BUILD)/gen/syscalls.h

# ---------------------------------------------------------------------------------------------
# The tool

$(BUILD)/obj/user/%.o: user/%.c $(BUILD)/.flags-user $(needs)
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(call compile,$(user_flags))

# Files that a source has in it by .incbin, which -MMD does not see.
$(BUILD)/obj/user/view/heap_html.o $(BUILD)/fuzz/user/view/heap_html.o: $(wildcard user/view/page/*)

$(lib): $(lib_objs)
	$(say) AR $@
	$(Q)mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcsD $@ $(lib_objs)

$(BUILD)/gctrace: $(main_obj) $(lib) $(BUILD)/.flags-link
	$(say) LINK $@
	$(Q)$(link) $(wrap_flags) $(main_obj) $(lib) $(LIBS)

# ---------------------------------------------------------------------------------------------
# The small virtual machine: built as any runtime author would, from include/ and nothing else

$(BUILD)/obj/tests/minivm/%.o: tests/minivm/%.c $(BUILD)/.flags-user $(needs)
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(call compile,$(minivm_flags))

$(BUILD)/minivm: $(minivm_objs) $(BUILD)/.flags-link
	$(say) LINK $@
	$(Q)$(link) $(minivm_objs) -lm

# ---------------------------------------------------------------------------------------------
# Agents: libraries that are loaded into runtimes

$(BUILD)/agent/%.o: %.c $(BUILD)/.flags-agent $(needs)
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(call compile,$(agent_flags))

$(BUILD)/libgctrace-dotnet.so: $(agent_dotnet_objs)
$(BUILD)/libgctrace-hotspot.so: $(agent_hotspot_objs)
$(BUILD)/libgctrace-dotnet.so $(BUILD)/libgctrace-hotspot.so: $(BUILD)/.flags-agent
	$(say) LINK $@
	$(Q)$(CC) $(agent_link_flags) $(CFLAGS) $(filter-out -static,$(LDFLAGS)) -Wl,-soname,$(@F) \
		-o $@ $(filter %.o,$^)

# ---------------------------------------------------------------------------------------------
# Tests: every X_test.c is a program, and in tests/bench what has a main, with the other files there

$(BUILD)/obj/tests/%.o: tests/%.c $(BUILD)/.flags-user $(needs)
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(call compile,$(test_flags))

# An archive, so that each test gets what it calls and nothing else.
$(unit_support): $(unit_support_objs)
	$(say) AR $@
	$(Q)mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcsD $@ $(unit_support_objs)

# The agents, as far as they can be tested in a process of ours.
$(BUILD)/obj/agents/%.o: agents/%.c $(BUILD)/.flags-user $(needs)
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(call compile,$(test_flags))

$(BUILD)/tests/unit/libagents.a: $(unit_dotnet_objs)
$(BUILD)/tests/unit/libhotspot.a: $(unit_hotspot_objs)
$(unit_agents):
	$(say) AR $@
	$(Q)mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcsD $@ $(filter %.o,$^)

# Only tests of an agent see it: two agents, or one and gctrace, have names in common.
$(BUILD)/tests/unit/agents/%: agents_seen := $(BUILD)/tests/unit/libagents.a
$(BUILD)/tests/unit/agents/hotspot_%: agents_seen := $(BUILD)/tests/unit/libhotspot.a

$(BUILD)/tests/unit/%: $(BUILD)/obj/tests/unit/%.o $(unit_support) $(unit_agents) $(lib) \
		$(BUILD)/.flags-link
	$(say) LINK $@
	$(Q)mkdir -p $(@D)
	$(Q)$(link) $< $(unit_support) $(agents_seen) $(lib) -lcmocka -ljson-c $(LIBS)

$(BUILD)/tests/tools/%: $(BUILD)/obj/tests/tools/%.o $(BUILD)/.flags-link
	$(say) LINK $@
	$(Q)mkdir -p $(@D)
	$(Q)$(link) $< $(LIBS)

$(BUILD)/tests/refuse.so: tests/fault/refuse.c $(BUILD)/.flags-user
	$(say) LINK $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(filter-out $(SANITIZE),$(common_flags)) $(CPPFLAGS) $(CFLAGS) -shared -fPIC -o $@ $<

$(BUILD)/tests/proof/%: $(BUILD)/obj/tests/proof/%.o $(proof_support_objs) $(lib) $(BUILD)/.flags-link
	$(say) LINK $@
	$(Q)mkdir -p $(@D)
	$(Q)$(link) $< $(proof_support_objs) $(lib) $(LIBS)

$(BUILD)/bench/%: $(BUILD)/obj/tests/bench/%.o $(bench_support_objs) $(lib) $(BUILD)/.flags-link
	$(say) LINK $@
	$(Q)mkdir -p $(@D)
	$(Q)$(link) $< $(bench_support_objs) $(lib) $(LIBS)

$(BUILD)/fuzz/%.o: %.c $(BUILD)/.flags-fuzz $(needs)
	$(say) FUZZ-CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(user_flags) $(fuzz_flags) -O1 -g -MMD -MP $(CPPFLAGS) -c -o $@ $<

$(fuzz_lib): $(fuzz_lib_objs)
	$(say) AR $@
	$(Q)mkdir -p $(@D)
	$(Q)rm -f $@ && $(AR) rcsD $@ $(fuzz_lib_objs)

$(BUILD)/tests/fuzz/%_fuzz: $(BUILD)/fuzz/tests/fuzz/%_fuzz.o $(fuzz_lib)
	$(say) LINK $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) -fsanitize=fuzzer,address,undefined -pthread -o $@ $< $(fuzz_lib) $(LIBS)

-include $(call find,$(BUILD)/obj $(BUILD)/agent $(BUILD)/bpf $(BUILD)/fuzz,*.d)
