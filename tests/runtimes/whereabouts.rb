# SPDX-License-Identifier: BSD-2-Clause
# Threads that know where they are, and when: "TID PHASE FROM UNTIL", in ns of CLOCK_MONOTONIC.
#
#	whereabouts.rb STOP FILE: until there is a file STOP
#
# One goes through phases, one after the other: a loop of Ruby, a sleep, a collection. One waits for a
# byte of a pipe all the time.
$stdout.sync = true
GC.disable
KEPT = Array.new(200_000) { |i| [i] }
READER, WRITER = IO.pipe
EVERYTHING = []

def now = Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)

def own_tid = Thread.current.native_thread_id

def spin(count)
	total = 0
	while count > 0
		count -= 1
		total += count
	end
	total
end

def collect
	GC.enable
	GC.start
	GC.disable
end

def go(over)
	tid = own_tid
	until over.call
		[["spin", -> { spin(300_000) }], ["sleep", -> { sleep 0.005 }],
		 ["collects", -> { collect }]].each do |name, work|
			from = now
			work.call
			EVERYTHING << [tid, name, from, now]
		end
	end
end

over = false
reading = Thread.new do
	tid, from = own_tid, now
	READER.read(1)
	EVERYTHING << [tid, "read", from + 200_000_000, $until]
end
going = Thread.new { go(-> { over }) }
puts "ready"
sleep 0.02 until File.exist?(ARGV[0])
$until = now
over = true
WRITER.write(".")
[reading, going].each(&:join)
File.write(ARGV[1], EVERYTHING.map { |line| line.join(" ") + "\n" }.join)
