# SPDX-License-Identifier: BSD-2-Clause
#
# load.rb GO TRUTH: waits for the file GO, collects in many ways, and writes what GC.stat says:
# lines `name start_ns end_ns collections`, of the whole and of single steps in it.

go, path = ARGV
$stdout.sync = true
TRUTH = []

def now
  Process.clock_gettime(Process::CLOCK_MONOTONIC, :nanosecond)
end

# A span of the program, with collections counted at both ends of it.
def span(name)
  GC.disable
  count = GC.stat(:count)
  start = now
  GC.enable
  yield
  GC.disable
  TRUTH << [name, start, now, GC.stat(:count) - count]
  GC.enable
end

def allocate(kept, count)
  count.times do |i|
    x = [i, 'a' * (i % 50)]
    kept << x if i % 20 == 0
  end
end

puts 'ready'
sleep 0.01 until File.exist?(go)
span('all') do
  kept = []
  span('lazily') do
    15.times do |i|
      allocate(kept, 50_000)
      kept.clear if i % 5 == 4
    end
  end
  span('at once') { 3.times { GC.start } }
  span('in steps') do
    GC.start(immediate_sweep: false)
    allocate(kept, 20_000)
  end
  span('incrementally') do
    GC.start(immediate_mark: false, immediate_sweep: false)
    allocate(kept, 50_000)
  end
  span('in a thread') { 2.times.map { Thread.new { allocate([], 50_000) } }.each(&:join) }
  span('minor') { GC.start(full_mark: false) }
  span('compacting') { GC.compact } if GC.respond_to?(:compact)
end
File.write(path, TRUTH.map { |row| row.map { |x| x.to_s.tr(' ', '_') }.join(' ') + "\n" }.join)
exit!(0)
