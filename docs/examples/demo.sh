#!/bin/sh
# `make demo` runs this script, which counts the words in Go's standard library. It starts one JobTracker and three
# TaskTrackers, each in its own process. The cluster runs the script again, with the argument "inside", to run the job.
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
	echo "The cluster has stopped. The output is in $out:"
	ls "$out"
	exit
fi

# This pattern matches the *.go files in all folders of the standard library. It has one part for each folder level.
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
