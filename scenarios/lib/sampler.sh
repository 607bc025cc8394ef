#!/bin/sh
# Prints resource counters of containers as lines, until the process that it is given is gone or standard input ends.
# Which containers, a line on standard input says: a number and the pid of a process in each. The last line counts.
# Runs in a container with the host's process and cgroup namespaces; busybox ash and dash both run it.
#   clock <unix seconds> <uptime seconds>
#   watch <number>                                               from here on, these containers
#   cpu   <uptime> <CPU µs of each container …>                  every 100 ms
#   host  <uptime> <cpu>:<busy ticks>:<steal ticks> …            every 200 ms; a tick is 10 ms
#   mem   <uptime> <bytes>:<processes>:<throttled µs>:<OOM kills> …   every 500 ms; anonymous + shared memory
set -u
root=${CGROUP_ROOT:-/sys/fs/cgroup}

# The path of a process in a cgroup v1 controller, or in v2 (controller '').
path_of() {
  while IFS=: read -r _ controllers path; do
    case ",$controllers," in *",$2,"*) echo "$path" && return ;; esac
  done 2>/dev/null <"/proc/$1/cgroup"
  echo /gone
}
mount_of() {
  for dir in "$root/$1" "$root"/*,"$1" "$root/$1",*; do
    [ -d "$dir" ] && echo "$dir" && return
  done
}

version=2
[ -e "$root/cgroup.controllers" ] || version=1
# find_files PID…
find_files() {
  cpu_files='' stat_files='' memory_files='' process_files='' oom_files=''
  for pid in "$@"; do
    if [ "$version" = 2 ]; then
      dir=$root$(path_of "$pid" '')
      cpu_files="$cpu_files $dir/cpu.stat" stat_files="$stat_files $dir/cpu.stat"
      memory_files="$memory_files $dir/memory.stat" process_files="$process_files $dir/cgroup.procs"
      oom_files="$oom_files $dir/memory.events"
    else
      cpu_files="$cpu_files $(mount_of cpuacct)$(path_of "$pid" cpuacct)/cpuacct.usage"
      stat_files="$stat_files $(mount_of cpu)$(path_of "$pid" cpu)/cpu.stat"
      memory_files="$memory_files $(mount_of memory)$(path_of "$pid" memory)/memory.stat"
      process_files="$process_files $(mount_of memory)$(path_of "$pid" memory)/cgroup.procs"
      oom_files="$oom_files $(mount_of memory)$(path_of "$pid" memory)/memory.oom_control"
    fi
  done
}

# Uptime is what the shell can read without a process of its own; here it is tied to the wall clock once.
second=$(date +%s)
while [ "$(date +%s)" = "$second" ]; do :; done
read -r now _ </proc/uptime
echo "clock $((second + 1)) $now"

cpu_line() {
  line="cpu $now"
  for file in $cpu_files; do
    value=-1
    if [ "$version" = 2 ]; then
      { read -r _ value <"$file"; } 2>/dev/null
    else
      { read -r value <"$file"; } 2>/dev/null && value=$((value / 1000))
    fi
    line="$line $value"
  done
  echo "$line"
}

host_line() {
  line="host $now"
  while read -r name user nice system _ _ irq softirq steal _; do
    case $name in
      cpu) ;;
      cpu*) line="$line ${name#cpu}:$((user + nice + system + irq + softirq)):$steal" ;;
      *) break ;;
    esac
  done </proc/stat
  echo "$line"
}

# The first word of a list; `rest` is what follows it.
next() {
  list=${1# } && file=${list%% *} && rest=${list#* }
}

memory_line() {
  line="mem $now"
  processes=$process_files stats=$stat_files ooms=$oom_files
  for memory in $memory_files; do
    bytes=0 count=0 throttled=0 kills=0
    while read -r name value; do
      case $version.$name in
        1.total_rss | 1.total_shmem | 2.anon | 2.shmem) bytes=$((bytes + value)) ;;
      esac
    done 2>/dev/null <"$memory" || bytes=-1
    next "$processes" && processes=$rest
    while read -r _; do count=$((count + 1)); done 2>/dev/null <"$file"
    next "$stats" && stats=$rest
    while read -r name value; do
      case $name in
        throttled_time) throttled=$((value / 1000)) ;;
        throttled_usec) throttled=$value ;;
      esac
    done 2>/dev/null <"$file"
    next "$ooms" && ooms=$rest
    while read -r name value; do
      case $name in oom_kill) kills=$value ;; esac
    done 2>/dev/null <"$file"
    line="$line $bytes:$count:$throttled:$kills"
  done
  echo "$line"
}

# The shell can only wait for a line, so another one does, and leaves it where this one looks between two samples.
inbox=${TMPDIR:-/tmp}/sampler.$$
: >"$inbox"
exec 3<&0
{
  while read -r line; do echo "$line" >"$inbox"; done
  echo end >"$inbox"
} <&3 &
trap 'kill $! 2>/dev/null; rm -f "$inbox"' EXIT

tick=0 current='' cpu_files=''
while sleep 0.1 && [ -d "/proc/$1" ]; do
  if read -r number pids <"$inbox" && [ "$number" != "$current" ]; then
    [ "$number" = end ] && break
    current=$number
    # shellcheck disable=SC2086 # A list of pids.
    find_files $pids
    echo "watch $number"
  fi
  [ -n "$cpu_files" ] || continue
  read -r now _ </proc/uptime
  cpu_line
  [ $((tick % 2)) = 0 ] && host_line
  [ $((tick % 5)) = 0 ] && memory_line
  tick=$((tick + 1))
done
