// SPDX-License-Identifier: BSD-2-Clause
// A thread that knows where it is, and when: "TID PHASE FROM UNTIL", in ns of CLOCK_MONOTONIC.
//
//	whereabouts.js STOP FILE: until there is a file STOP
//
// It goes through phases, one after the other: a loop of JavaScript, one of native code, a sleep.
// The way from the clock into a phase and back again is not the phase: some microseconds, interpreted
// and in native code of the clock's. FROM and UNTIL leave room for it.
'use strict';
const fs = require('fs');
const crypto = require('crypto');

const block = Buffer.alloc(8 << 20);
const cell = new Int32Array(new SharedArrayBuffer(4));
const phases = [];
const WAY = 100000n; // ns

function spin(count) {
	let sum = 0;
	for (let i = 0; i < count; i++)
		sum = (sum * 31 + i) | 0;
	return sum;
}

function callNative() {
	crypto.createHash('sha256').update(block).digest();
}

function sleep() {
	Atomics.wait(cell, 0, 0, 5);
}

for (let i = 0; i < 300; i++) // until it is compiled
	spin(100000);
console.log('ready');
while (!fs.existsSync(process.argv[2])) {
	for (const phase of [() => spin(5000000), callNative, sleep]) {
		const from = process.hrtime.bigint() + WAY;
		phase();
		const until = process.hrtime.bigint() - WAY;
		phases.push(`${process.pid} ${phase.name || 'spin'} ${from} ${until}`);
	}
}
fs.writeFileSync(process.argv[3], phases.join('\n') + '\n');
