// SPDX-License-Identifier: BSD-2-Clause
// A thread that knows where it is, and when: "TID PHASE FROM UNTIL", in ns of CLOCK_MONOTONIC.
//
//	whereabouts.js STOP FILE: until there is a file STOP
//
// It goes through phases, one after the other: a loop of JavaScript, one of native code, a sleep.
// A phase reads the clock itself. The way from the clock and back to it is not the phase: some
// microseconds, interpreted and in native code of the clock's. FROM and UNTIL leave room for it.
'use strict';
const fs = require('fs');
const crypto = require('crypto');

const block = Buffer.alloc(8 << 20);
const cell = new Int32Array(new SharedArrayBuffer(4));
const phases = [];
const WAY = 100000n; // ns
const now = process.hrtime.bigint;
let result;

function spin(count) {
	const from = now();
	let sum = 0;
	for (let i = 0; i < count; i++)
		sum = (sum * 31 + i) | 0;
	result = sum;
	return [from, now()];
}

function callNative() {
	const from = now();
	crypto.createHash('sha256').update(block).digest();
	return [from, now()];
}

function sleep() {
	const from = now();
	Atomics.wait(cell, 0, 0, 5);
	return [from, now()];
}

for (let i = 0; i < 300; i++) // until it is compiled
	spin(100000);
console.log('ready');
while (!fs.existsSync(process.argv[2])) {
	for (const phase of [spin, callNative, sleep]) {
		const [from, until] = phase(5000000);
		phases.push(`${process.pid} ${phase.name} ${from + WAY} ${until - WAY}`);
	}
}
fs.writeFileSync(process.argv[3], phases.join('\n') + '\n');
