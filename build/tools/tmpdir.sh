#!/bin/sh
# Prints an in-memory directory for tests' temporary files, or the usual one. Tests write many small files and sync
# many of them, which takes most of their time on a disk. The directory needs 2 GiB and must allow program execution.
dir=/dev/shm
probe=$dir/howdah-probe-$$
trap 'rm -f "$probe"' EXIT
if [ "$(df -Pk $dir 2>/dev/null | awk 'NR == 2 {print $4}')" -ge 2097152 ] 2>/dev/null &&
  cp /bin/true "$probe" 2>/dev/null && "$probe" 2>/dev/null; then
  echo $dir
else
  echo "${TMPDIR:-/tmp}"
fi
