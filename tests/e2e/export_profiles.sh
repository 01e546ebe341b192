#!/bin/bash
# SPDX-License-Identifier: BSD-2-Clause
# gctrace export --as folded, pprof, perfetto and dot: tools that we did not write (go tool pprof,
# protoc, graphviz) find in the files what gctrace heap says of the same dump.
# limit: 600
. "$(dirname "$0")/lib.sh"
need_root
need gctrace minivm
python=/usr/bin/python3
compare=$ROOT/tests/e2e/export_profiles.py

# A recording with a dump in it, and what gctrace itself says of that.
record_dump() {	# NAME OPTION...
	local name=$1
	shift
	start "$name" minivm --quiet --nursery 512k "$@"
	work "$(pid "$name")" 0.5
	run timeout 120 gctrace record -p "$(pid "$name")" -n 1 --moves --dump \
		--output "$TMP/$name.gctrace"
	expect_status 0
	stop "$name"
	gctrace heap "$TMP/$name.gctrace" -o json --top 0 >"$TMP/$name.heap" ||
		fail "gctrace heap failed"
}

export_as() {	# NAME FORMAT OPTION...
	local name=$1 format=$2
	shift 2
	run timeout 120 gctrace export "$TMP/$name.gctrace" --as "$format" \
		--output "$TMP/$name.$format" "$@"
	expect_status 0
}

same() {
	timeout 300 "$python" "$compare" "$@" >"$TMP/compared" 2>&1 || {
		fail "not the same"
		show "$TMP/compared"
	}
}

has() { command -v "$1" >/dev/null 2>&1; }

clean() {	# FILE: valid UTF-8, no control characters but tabs and ends of lines
	iconv -f UTF-8 -t UTF-8 "$1" >"$TMP/iconv" 2>&1 || fail "$1 is not valid UTF-8"
	! LC_ALL=C grep -aq $'[\x01-\x08\x0b-\x1f\x7f]' "$1" || fail "$1 has control characters"
}

# All functions, with no unit but bytes: FILE SAMPLE_INDEX OPTION...
pprof_top() {
	local file=$1 index=$2
	shift 2
	PPROF_TMPDIR=$TMP HOME=$TMP timeout 120 go tool pprof -top -nodecount=0 -nodefraction=0 \
		-unit=B -sample_index="$index" "$@" "$file" 2>"$TMP/pprof.err"
}

pprof_all() {	# NAME
	pprof_top "$TMP/$1.pprof" inuse_space >"$TMP/$1.top" &&
		pprof_top "$TMP/$1.pprof" inuse_objects >"$TMP/$1.objects" &&
		pprof_top "$TMP/$1.pprof" inuse_space -ignore '^\(reached by no root\)$' \
			>"$TMP/$1.reached" || {
		fail "go tool pprof does not read it"
		show "$TMP/pprof.err"
	}
}

decode() {	# NAME
	protoc --decode=Trace -I "$ROOT/tests/e2e" heap_graph.proto <"$TMP/$1.perfetto" \
		>"$TMP/$1.trace" 2>"$TMP/protoc.err" || {
		fail "protoc does not read it"
		show "$TMP/protoc.err"
	}
	[ ! -s "$TMP/protoc.err" ] || fail "protoc complains: $(head -n 1 "$TMP/protoc.err")"
}

address_of() {	# NAME TYPE: of the one that keeps the most alive
	gctrace heap "$TMP/$1.gctrace" -o json --objects --type "$2" --top 1 |
		sed -n 's/.*"event":"object".*"address":"\(0x[0-9a-f]*\)","size.*/\1/p'
}

# gvpr's answer: names of nodes, and of the ends of arrows with their labels.
list_drawing() {	# FILE
	gvpr 'N { print($.name) }' "$1" >"$TMP/nodes" &&
		gvpr 'E { print($.tail.name, "\t", $.head.name, "\t", $.label) }' "$1" >"$TMP/edges"
}

t "a recording with a leak in it, and one with hostile names"
record_dump leak --objects 5000 --leak --leak-rate 200
record_dump hostile --objects 2000 --names hostile
{
	gctrace heap "$TMP/leak.gctrace" -o json --top 0 --objects --type '*' &&
		gctrace heap "$TMP/leak.gctrace" -o json --top 0 --roots
} >"$TMP/leak.graph" || fail "gctrace heap failed"
pass

t "folded: frames are as wide as what they retain, and all together are the heap"
export_as leak folded
clean "$TMP/leak.folded"
same folded "$TMP/leak.heap" "$TMP/leak.folded"
expect "$TMP/leak.folded" '^statics;static shop\.OrderCache\.instance;shop\.OrderCache;HashMap;'
pass

t "folded: hostile names neither end a line nor part a frame"
export_as hostile folded
clean "$TMP/hostile.folded"
HOSTILE=1 same folded "$TMP/hostile.heap" "$TMP/hostile.folded"
expect "$TMP/hostile.folded" '\\x1b\[31\\x3b5mred'
pass

t "pprof: flat is the shallow size of each type, cum what it retains"
export_as leak pprof
gzip -t "$TMP/leak.pprof" || fail "not a gzip file"
if has go; then
	pprof_all leak
	same pprof "$TMP/leak.heap" "$TMP/leak.top" "$TMP/leak.objects" "$TMP/leak.reached"
	expect "$TMP/leak.top" '^File: minivm$'
	expect "$TMP/leak.top" '^Time: '
	pass
else
	skip "go is not installed"
fi

t "pprof: hostile names"
export_as hostile pprof
if has go; then
	pprof_all hostile
	clean "$TMP/hostile.top"
	HOSTILE=1 same pprof "$TMP/hostile.heap" "$TMP/hostile.top" "$TMP/hostile.objects" \
		"$TMP/hostile.reached"
	expect "$TMP/hostile.top" 'Object\[\]"quote\\\\back/</script>$'
	pass
else
	skip "go is not installed"
fi

t "perfetto: every object, reference, field, type and root, in several packets"
export_as leak perfetto
if has protoc; then
	decode leak
	same perfetto "$TMP/leak.graph" "$TMP/leak.trace"
	expect "$TMP/compared" '^([2-9]|[0-9]{2,}) packets'
	expect "$TMP/leak.trace" 'str: "shop\.OrderCache\.byId"'
	pass
else
	skip "protoc is not installed"
fi

t "perfetto: hostile names"
export_as hostile perfetto
if has protoc; then
	decode hostile
	HOSTILE=1 same perfetto "$TMP/hostile.heap" "$TMP/hostile.trace"
	pass
else
	skip "protoc is not installed"
fi

t "dot: what lies around an object, all of it"
at=$(address_of leak shop.OrderCache)
export_as leak dot --address "$at" --depth 2 --top 0
if has gvpr; then
	list_drawing "$TMP/leak.dot" || fail "gvpr does not read it"
	same dot "$TMP/leak.graph" "$TMP/nodes" "$TMP/edges" "$at" 2
	expect "$TMP/edges" "^$at	0x[0-9a-f]+	\.byId$"
	pass
else
	skip "graphviz is not installed"
fi

t "dot: an id means the same object as its address"
id=$(gctrace heap "$TMP/leak.gctrace" -o json --objects --type shop.OrderCache --top 1 |
	sed -n 's/.*"id":\([0-9]*\).*/\1/p')
cp "$TMP/leak.dot" "$TMP/by_address"
export_as leak dot --id "$id" --depth 2 --top 0
cmp "$TMP/by_address" "$TMP/leak.dot" || fail "--id $id draws something else than --address $at"
run timeout 60 gctrace export "$TMP/leak.gctrace" --as dot --id 99999999999
expect_status 1
expect "$TMP/err" 'object 99999999999 was not seen up to this dump'
pass

t "dot: what is not drawn is counted, and graphviz draws the rest"
export_as leak dot --address "$at" --top 3 --depth 3
expect "$TMP/leak.dot" '→ [0-9]+ more'
expect "$TMP/leak.dot" '← [0-9]+ more'
if has dot; then
	timeout 120 dot -Tsvg "$TMP/leak.dot" >"$TMP/leak.svg" 2>"$TMP/err" || fail "dot fails"
	expect "$TMP/leak.svg" 'static shop\.OrderCache\.instance'
	expect_equal "$(gvpr 'N { print($.name) }' "$TMP/leak.dot" | wc -l)" \
		"$(grep -c 'class="node"' "$TMP/leak.svg")" "boxes drawn"
	pass
else
	skip "graphviz is not installed"
fi

t "dot: hostile names"
at=$(address_of hostile 'shop.Store*')
[ -n "$at" ] || at=$(address_of hostile 'Thread*')
export_as hostile dot --address "$at" --depth 4
clean "$TMP/hostile.dot"
if has dot; then
	timeout 120 dot -Tsvg "$TMP/hostile.dot" >"$TMP/hostile.svg" 2>"$TMP/err" ||
		fail "dot fails"
	[ ! -s "$TMP/err" ] || { fail "dot complains"; show "$TMP/err"; }
	list_drawing "$TMP/hostile.dot"
	pass
else
	skip "graphviz is not installed"
fi

t "without an object there is nothing to draw around; the others take the whole heap"
run timeout 60 gctrace export "$TMP/leak.gctrace" --as dot --address 0x10
expect_status 1
while read -r words; do
	# shellcheck disable=SC2086
	run timeout 60 gctrace export $words
	expect_status 2
done <<EOF
$TMP/leak.gctrace --as dot
$TMP/leak.gctrace --as dot --address $at --id $id
-p 1 --as dot --id $id
$TMP/leak.gctrace --as folded --address 0x10
$TMP/leak.gctrace --as folded --id $id
$TMP/leak.gctrace --as folded --depth 3
$TMP/leak.gctrace --as folded --top 3
EOF
run timeout 60 gctrace export "$TMP/leak.gctrace" --as folded --top 3
expect "$TMP/err" '--as folded is of the whole heap: --top is for formats that draw one object'
pass
