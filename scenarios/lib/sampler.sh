#!/bin/sh
# Prints resource counters of containers as lines, until the process that it is given is gone or standard input ends.
# Which containers, a line on standard input says: a number and the pid of a process in each. The last line counts.
# Runs in a container with the host's process and cgroup namespaces; busybox ash and dash both run it.
#   clock <unix seconds> <uptime seconds>                       at first, and again after somebody has set the wall clock
#   watch <number>                                               from here on, these containers
#   cpu   <uptime> <CPU µs of each container …>                  every 100 ms
#   host  <uptime> <cpu>:<busy ticks>:<steal ticks> …            every 200 ms; a tick is 10 ms
#   mem   <uptime> <bytes>:<processes>:<throttled µs>:<OOM kills> …   every 500 ms, read since the last; anonymous + shared memory
#   done  <uptime>                                               the reading of this sample took until then
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
# find_files PID…: the files of the Nth container are in memory_N, processes_N, stat_N and oom_N.
find_files() {
  cpu_files='' containers=0
  for pid in "$@"; do
    if [ "$version" = 2 ]; then
      dir=$root$(path_of "$pid" '')
      cpu=$dir/cpu.stat stat=$dir/cpu.stat memory=$dir oom=$dir/memory.events
    else
      memory=$(mount_of memory)$(path_of "$pid" memory)
      cpu=$(mount_of cpuacct)$(path_of "$pid" cpuacct)/cpuacct.usage
      stat=$(mount_of cpu)$(path_of "$pid" cpu)/cpu.stat oom=$memory/memory.oom_control
    fi
    cpu_files="$cpu_files $cpu"
    eval "memory_$containers=\$memory/memory.stat processes_$containers=\$memory/cgroup.procs"
    eval "stat_$containers=\$stat oom_$containers=\$oom"
    containers=$((containers + 1))
  done
}

# Reads the wall clock, in hundredths of a second. It is ahead of uptime by `least` to `most` of them: it was read somewhere between
# two readings of uptime, which are cut to hundredths, too.
read_clock() {
  read -r from _ </proc/uptime
  # Some shells, BusyBox's among them, know the time without a process of their own.
  wall=${EPOCHREALTIME:-$(date +%s.%N)}
  read -r to _ </proc/uptime
  fraction=${wall#*.}
  wall=${wall%.*}${fraction%"${fraction#??}"}
  least=$((wall - ${to%.*}${to#*.} - 1)) most=$((wall - ${from%.*}${from#*.} + 1))
}

# Uptime is what the shell can read without a process of its own; here it is tied to the wall clock.
tie_clock() {
  tries=0
  # If more than 50 ms lie between, this shell was kept waiting, and looks once more.
  while
    read_clock
    [ $((most - least)) -gt 7 ] && [ $tries -lt 5 ]
  do tries=$((tries + 1)); done
  low=$least high=$most
  echo "clock ${wall%??}.${wall#"${wall%??}"} $to"
}

# NTP speeds both clocks up or slows both down, so their difference changes only when somebody sets the wall clock. One that changes
# by less than 50 ms is not seen. The first bounds are those of `tie_clock`: minutes may lie between that and the first look here.
check_clock() {
  # For a shell that needs a process for it, half a second is often enough.
  [ -n "${EPOCHREALTIME:-}" ] || [ $((tick % 5)) = 0 ] || return 0
  read_clock
  if [ "$least" -gt $((high + 5)) ] || [ "$most" -lt $((low - 5)) ]; then
    tie_clock
  elif [ $((most - least)) -lt $((high - low)) ]; then
    low=$least high=$most
  fi
}

tie_clock

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

# read_memory N: what memory the Nth container uses, its processes and how long it was throttled.
read_memory() {
  memory='' processes='' stat=''
  eval "memory=\$memory_$1 processes=\$processes_$1 stat=\$stat_$1"
  bytes=0 count=0 throttled=0
  while read -r name value; do
    case $version.$name in
      1.total_rss | 1.total_shmem | 2.anon | 2.shmem) bytes=$((bytes + value)) ;;
    esac
  done 2>/dev/null <"$memory" || bytes=-1
  while read -r _; do count=$((count + 1)); done 2>/dev/null <"$processes"
  while read -r name value; do
    case $name in
      throttled_time) throttled=$((value / 1000)) ;;
      throttled_usec) throttled=$value ;;
    esac
  done 2>/dev/null <"$stat"
  eval "found_$1=$bytes:$count:$throttled"
}

memory_line() {
  line="mem $now"
  container=0
  while [ $container -lt "$containers" ]; do
    found='' oom='' kills=0
    eval "found=\$found_$container oom=\$oom_$container"
    while read -r name value; do
      case $name in oom_kill) kills=$value ;; esac
    done 2>/dev/null <"$oom"
    line="$line $found:$kills"
    container=$((container + 1))
  done
  echo "$line"
}

# A fifth of the containers at a time: all of them at once would keep the next sample waiting where there are dozens.
memory_step() {
  if [ "$tick" = 0 ]; then upto=$containers; else upto=$((containers * (tick % 5 + 1) / 5)); fi
  while [ $turn -lt "$upto" ]; do
    read_memory $turn
    turn=$((turn + 1))
  done
  [ "$tick" = 0 ] || [ $((tick % 5)) = 4 ] || return 0
  memory_line
  turn=0
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

tick=0 turn=0 current='' cpu_files=''
while sleep 0.1 && [ -d "/proc/$1" ]; do
  if read -r number pids <"$inbox" && [ "$number" != "$current" ]; then
    [ "$number" = end ] && break
    current=$number
    # shellcheck disable=SC2086 # A list of pids.
    find_files $pids
    tick=0 turn=0
    echo "watch $number"
  fi
  [ -n "$cpu_files" ] || continue
  read -r now _ </proc/uptime
  cpu_line
  [ $((tick % 2)) = 0 ] && host_line
  memory_step
  check_clock
  read -r now _ </proc/uptime
  echo "done $now"
  tick=$((tick + 1))
done
