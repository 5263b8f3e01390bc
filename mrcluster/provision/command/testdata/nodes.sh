#!/bin/sh
# nodes.sh start POOL NAME DIR COMMAND... | stop POOL NAME DIR | list POOL stands in for ssh, kubectl, or the command
# line of a cloud. Each node is a process in its own session. The environment identifies the processes that it starts.
verb=$1 pool=$2 name=$3 dir=$4
case $verb in list) shift 2 ;; *) shift 4 ;; esac

end() { # every process of the node, until there is none
	while all=$(grep -lszx "STAND_IN=$dir" /proc/[0-9]*/environ); [ -n "$all" ]; do
		for f in $all; do
			f=${f#/proc/}
			kill -9 "${f%/environ}" 2> /dev/null
		done
		sleep 0.01
	done
}

alive() { # the agent of a node; a process that is dead has no environment
	[ -f "$1.pid" ] && grep -qszx "STAND_IN=$1" "/proc/$(cat "$1.pid")/environ"
}

case $verb in
start)
	end
	mkdir -p "$dir" && cd "$dir" || exit
	STAND_IN=$dir setsid "$@" > "$dir/agent.log" 2>&1 < /dev/null &
	echo $! > "$dir.pid"
	;;
stop)
	if [ -f "$dir.pid" ] && kill "$(cat "$dir.pid")" 2> /dev/null; then
		i=0
		while alive "$dir" && [ $i -lt 500 ]; do
			sleep 0.01
			i=$((i + 1))
		done
	fi
	end
	rm -rf "$dir" "$dir.pid"
	;;
list)
	for f in "$pool"/*.pid; do
		[ -f "$f" ] || continue
		node=${f%.pid}
		if alive "$node"; then state=running; else state=stopped; fi
		echo "${node##*/} - $state"
	done
	;;
esac
