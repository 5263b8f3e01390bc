#!/bin/sh
# make demo: one JobTracker and three TaskTrackers, all processes of their own, count the words of Go's standard library.
# Run by itself it starts the cluster, with itself as the command; inside the cluster (the argument "inside") it runs the job.
set -eu
cd "$(dirname "$0")/../.."
self=$PWD/docs/examples/demo.sh
howdah=$PWD/bin/howdah

if [ "${1-}" != inside ]; then
	dir=$(mktemp -d "${TMPDIR:-/tmp}/howdah-demo-XXXXXX")
	out=$dir/output
	export out
	trap 'rm -rf "$dir/cluster"' EXIT
	trap 'exit 130' INT TERM
	"$howdah" minicluster --tasktrackers 3 --dir "$dir/cluster" -- "$self" inside
	echo
	echo "All stopped. The output is in $out:"
	ls "$out"
	exit
fi

# Every *.go file below the standard library's source, however deep: a pattern per level.
src=$(go env GOROOT)/src
level='*' levels='*'
for _ in 1 2 3 4 5 6 7 8 9 10 11 12; do
	level="$level/*" levels="$levels,$level"
done
"$howdah" run \
	-D mapreduce.job.inputformat.class=org.apache.hadoop.mapreduce.lib.input.CombineTextInputFormat \
	-D mapreduce.input.fileinputformat.split.maxsize=11500000 \
	-D mapreduce.input.fileinputformat.input.dir.nonrecursive.ignore.subdirs=true \
	-D mapreduce.job.reduces=3 \
	-D mapreduce.client.progressmonitor.pollinterval=200 \
	wordcount "$src/{$levels}.go" "$out"

echo
echo "The ten most frequent words of $src:"
sort -t"$(printf '\t')" -k2,2nr "$out"/part-r-* | head -n 10
