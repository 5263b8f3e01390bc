#!/bin/sh
# howdah cluster runs this script on each host: sh -s VERB DIR ARGUMENTS... < host.sh
#
# The layout of DIR, which is also that of the archive that `install` reads:
#   cluster               the cluster's name; marks DIR as howdah's
#   bin/host.sh           this script, which supervises daemons on hosts without systemd
#   bin/NAME              link to the program of the daemon NAME, such as bin/tasktracker
#   versions/ID/howdah    a program; an upgrade adds one
#   conf/                 mapred-site.xml, files of the scheduler, and the secret (mode 0600)
#   daemons/NAME          script that runs the daemon NAME
#   units/howdah-NAME.service
#   outside               paths outside DIR that the daemons use
#   made                  those that did not exist before: `remove` deletes them
#   data/ logs/ run/      files of the daemons, their logs, and process IDs of supervisors
set -u
verb=$1 dir=$2
shift 2

fail() { echo "$*" >&2; exit 1; }

systemd() { [ -d /run/systemd/system ] && [ "$(id -u)" = 0 ]; }

unit() { echo "/etc/systemd/system/howdah-$1.service"; }

names() { ls "$dir/daemons" 2>/dev/null; }

# Succeeds if the directory contains a cluster.
there() { [ -f "$dir/cluster" ]; }

# Succeeds if the process $1 supervises the daemon $2 of this directory.
supervises() { tr '\0' ' ' 2>/dev/null <"/proc/$1/cmdline" | grep -qF "$dir/bin/host.sh supervise $dir $2 "; }

# Prints the process ID of the supervisor of the daemon $1.
supervisor() {
	pid=$(cat "$dir/run/$1.pid" 2>/dev/null) && supervises "$pid" "$1" && echo "$pid"
}

runs() {
	if systemd; then systemctl -q is-active "howdah-$1"; else [ -n "$(supervisor "$1")" ]; fi
}

start() {
	if systemd; then systemctl enable -q --now "howdah-$1"; return; fi
	runs "$1" && return
	setsid sh "$dir/bin/host.sh" supervise "$dir" "$1" </dev/null >/dev/null 2>&1 &
	echo $! >"$dir/run/$1.pid"
}

stop() {
	if systemd; then systemctl disable -q --now "howdah-$1"; return; fi
	pid=$(supervisor "$1") || return 0
	kill "$pid"
	n=0
	while supervises "$pid" "$1"; do
		n=$((n + 1))
		[ $n -lt 300 ] || fail "$1 did not stop within 30 s"
		sleep 0.1
	done
	rm -f "$dir/run/$1.pid"
}

# Restarts a daemon whenever it ends. SIGTERM stops the daemon, and then the supervisor.
supervise() {
	child='' stopping=''
	trap 'stopping=1; [ -z "$child" ] || kill "$child"' TERM INT
	while [ -z "$stopping" ]; do
		"$dir/daemons/$1" >>"$dir/logs/$1.log" 2>&1 </dev/null &
		child=$!
		[ -z "$stopping" ] || kill "$child"
		while kill -0 "$child" 2>/dev/null; do wait "$child"; done
		child=''
		[ -n "$stopping" ] || sleep 1
	done
}

# Kills what a killed daemon left: processes whose program is in the directory.
sweep() {
	for exe in /proc/[0-9]*/exe; do
		case $(readlink "$exe" 2>/dev/null) in
		"$dir"/*) pid=${exe#/proc/}; kill -9 "${pid%/exe}" 2>/dev/null ;;
		esac
	done
}

try() {
	said=$("$dir/versions/$1/howdah" version 2>&1) || fail "the program does not run on $(uname -m): $said"
}

link() { # VERSION NAME: makes NAME run this version
	ln -sfn "../versions/$1/howdah" "$dir/bin/.$2" && mv -fT "$dir/bin/.$2" "$dir/bin/$2"
}

case $verb in
check) # ID: fails unless this host can take the cluster; prints its system and machine
	[ "$(uname -s)" = Linux ] || fail "the host runs $(uname -s), not Linux"
	command -v tar >/dev/null || fail "the host has no tar"
	if there; then
		[ "$(cat "$dir/cluster")" = "$1" ] || fail "$dir contains another cluster"
	elif [ -e "$dir" ] && [ -n "$(ls -A "$dir")" ]; then
		fail "$dir is not empty"
	fi
	if systemd; then
		for u in /etc/systemd/system/howdah-*.service; do
			[ ! -e "$u" ] || grep -qF "=$dir/" "$u" || fail "$u belongs to another cluster"
		done
	fi
	if systemd; then by=systemd; else by=supervised; fi
	echo "$(uname -s) $(uname -m) $by"
	;;
try) # VERSION: after its archive has been unpacked
	try "$1"
	;;
install) # VERSION: the same for an archive with everything
	try "$1"
	mkdir -p "$dir/logs" "$dir/run" && chmod 755 "$dir" || exit 1
	while read -r d; do [ -e "$d" ] || echo "$d"; done <"$dir/outside" >>"$dir/made"
	for n in $(names); do
		link "$1" "$n" || exit 1
		if systemd; then cp "$dir/units/howdah-$n.service" "$(unit "$n")" || exit 1; fi
	done
	if systemd; then systemctl daemon-reload; fi
	;;
start) # NAME...: starts those of the daemons that this host has
	there || fail "no cluster in $dir"
	for n in "$@"; do start "$n" || exit 1; done
	;;
stop) # NAME...
	there || exit 0
	for n in "$@"; do stop "$n" || exit 1; done
	;;
status) # prints each daemon and its state
	there || { echo "- absent"; exit 0; }
	for n in $(names); do
		if runs "$n"; then s=running; else s=stopped; fi
		echo "$n $s $(basename "$(dirname "$(readlink "$dir/bin/$n")")")"
	done
	;;
logs) # LINES
	there || fail "no cluster in $dir"
	for f in "$dir"/logs/*.log; do
		[ ! -e "$f" ] || { echo "== $(basename "$f" .log)"; tail -n "$1" "$f"; }
	done
	;;
upgrade) # VERSION NAME: restarts a daemon with another program
	stop "$2" && link "$1" "$2" && start "$2"
	;;
prune) # VERSION: removes all other programs
	for v in "$dir"/versions/*; do [ "$v" = "$dir/versions/$1" ] || rm -rf "$v"; done
	;;
howdah) # PROGRAM ARGUMENTS...: runs a howdah command with the cluster's configuration
	there || fail "no cluster in $dir"
	program=$1
	shift
	exec "$dir/$program" --config "$dir/conf" "$@" </dev/null
	;;
remove) # stops everything, and removes every file
	there || { echo absent; exit 0; }
	for n in $(names); do
		stop "$n" || exit 1
		if systemd; then rm -f "$(unit "$n")"; fi
	done
	if systemd; then systemctl daemon-reload; fi
	sweep
	while read -r d; do rm -rf "$d" || exit 1; done <"$dir/made"
	rm -rf "$dir" || exit 1
	echo removed
	;;
supervise) supervise "$1" ;;
*) fail "unknown verb $verb" ;;
esac
