#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# Leaks of 24 shapes, each planted in minivm beside its load: each is the first finding, with the
# name of what holds it.
# parallel: yes
. "$(dirname "$0")/lib.sh"
need_root
need jq

cache='static shop\.OrderCache\.instance'
# The shape, what its first finding says, how it is held. Extended regular expressions. Of "stacks"
# the load's own lists on stacks may stand before, up to three being named.
leaks='
array	^CACHE \(Object\[\], .*: 20\.0 k shop\.Order;	CACHE
list	^a List\.Cell .*: 20\.0 k shop\.Order; held by List\.head,	CACHE
map	^a HashMap .* HashMap\.Entry;	CACHE
chain	^a shop\.Order .*: 20\.0 k shop\.OrderLine;	CACHE
cells	^a List\.Cell .*: 20\.0 k shop\.Order;	CACHE
referrers	^a shop\.Customer .*: 20\.0 k shop\.Order;	CACHE
ring	^a parse\.Node .*: 20\.0 k parse\.Node;	CACHE
tree	^a parse\.Node .*: 65\.5 k Object;	CACHE
arrays	^CACHE \(Object\[\], .*: 500 Object\[\];	CACHE
lists	^CACHE \(Object\[\], .*: 500 List;	CACHE
mapoflists	^a HashMap .* HashMap\.Entry;	CACHE
mapofmaps	^a HashMap .* HashMap\.Entry;	CACHE
large	^a single byte\[\] is 12\.0 MiB	CACHE
buffers	^CACHE \(Object\[\], .*: 1\.50 k io\.Buffer;	CACHE
sessions	^CACHE \(Object\[\], .*: 10\.0 k web\.Session;	CACHE
reports	^CACHE \(Object\[\], .*: 1\.00 k shop\.Report;	CACHE
cache	^a shop\.OrderCache .* alive through HashMap	CACHE
shared	^20\.0 k shop\.Order together 	CACHE	string table, interned strings
handle	^a List\.Cell .*: 20\.0 k shop\.Order; held by List\.head,	^handle [0-9]+$
global	^a HashMap .* HashMap\.Entry;	^handle [0-9]+$
handles	^20\.0 k shop\.Order together 	^handle [0-9]+	handle [0-9]+	handle [0-9]+$
dependent	^a shop\.Store .* alive through HashMap	CACHE
stack	^a List\.Cell .* 20\.0 k shop\.Order; held	^thread worker-1: Node\.build, local 0$
stacks	^[0-9]+ List together .* held by thread	thread worker-[0-9]+: Node\.build, local 0
'

while IFS=$'\t' read -r shape text holder; do
	[ -n "$shape" ] || continue
	text=${text//CACHE/$cache} holder=${holder//CACHE/^$cache}
	t "a leak of the shape \"$shape\" is the first finding"
	threads=2
	[ "$shape" != stacks ] || threads=16
	start vm minivm --objects 20000 --threads $threads --rate 5 --plant "$shape"
	wait_for grep -qsx "planted $shape" "$TMP/vm.out" || fail "$shape was not planted"
	run timeout 60 gctrace heap -p "$(pid vm)" --top 1 -o json
	expect_status 0
	jq -r 'select(.event == "finding") | .text' "$TMP/out" >"$TMP/findings"
	jq -r 'select(.event == "finding") | .held_by // [] | join("\t")' "$TMP/out" >"$TMP/held"
	head -n 1 "$TMP/findings" | grep -qE -- "$text" || fail "$(head -n 1 "$TMP/findings")"
	head -n 1 "$TMP/held" | grep -qE -- "$holder" || fail "held by $(head -n 1 "$TMP/held")"
	! grep -qE '^a Object\[\]|several roots' "$TMP/findings" || fail "$(cat "$TMP/findings")"
	stop vm
	pass
done <<<"$leaks"
