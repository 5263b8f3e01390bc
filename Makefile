# `make` alone prints the menu. Every line "target: ## text" below is an entry.
GO      ?= go
PKGS    ?= ./...
FUZZTIME ?= 10s
TOOL     = $(GO) tool -modfile=build/tools/go.mod
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)

# One build configuration for everything, so that programs, tests, and checks share the build cache.
export CGO_ENABLED = 0
export GOFLAGS += -trimpath

SHELL       = bash
.SHELLFLAGS = -eu -o pipefail -c

.DEFAULT_GOAL := menu
.PHONY: chaos hostile damage fawkes-campaign mrcluster-campaign mrcluster-hdfs-campaign images compose-test growshrink \
  growshrink-time mrcluster-moves fsshell hadoopdiff bench-orchestrator bench-sim menu build runtime release names \
  demo test slow race check integration fuzz bench bench-hdfs bench-latency mutants bench-peers bench-compare \
  bench-growth bench-streaming bench-manyjobs bench-load experiments experiments-real experiments-page \
  breakages golden gen pgo playground

menu:
	@echo "howdah: make TARGET"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-24s %s\n", $$1, $$2}'

# The tag omits the package of command lines that generates documentation. Its parser of Markdown
# takes part of the start time of every process.
BUILD = $(GO) build -tags urfave_cli_no_docs \
  -ldflags '-s -w -X github.com/howdah/howdah/internal/version.linked=$(VERSION)'

build: runtime ## build bin/howdah and bin/howdah-lab (simulator, experiments)
	@$(BUILD) -o bin/howdah-lab ./cmd/howdah-lab

runtime: ## build only bin/howdah
	@$(BUILD) -o bin/howdah ./cmd/howdah

RESULTS = --out $(or $(OUT),experiments/results) --replace
experiments: build ## run all simulated experiments and write their results to OUT (experiments/results); an error if a relation FAILS
	bin/howdah experiment run all $(RESULTS)

experiments-real: build ## run all experiments on real nodes on an idle machine (as root, with Java, Maven, and iproute2; 7 hours)
	bin/howdah experiment run all --real --logs tmp/logs $(RESULTS)

experiments-page: build ## write the pages of the experiments in docs/reference from experiments/registered and experiments/results
	bin/howdah experiment page

breakages: ## plant bugs in the papers' algorithms, one at a time, and check which of them the experiments notice (ARGS='-match NAME'; 15 minutes)
	$(GO) run ./experiments/breakages $(ARGS)

release: ## make archives, images, bills of materials, notices, and checksums of VERSION=v1.2.3 from HEAD in dist/, and compare two builds (Docker, or IMAGES=no; BASE=IMAGE, HDFS_BASE=IMAGE; 10 minutes)
	@$(GO) run ./build/release $(if $(filter no,$(IMAGES)),-images=false) '$(VERSION)'

# The page works on any web server that serves files. It decompresses the simulator itself.
PAGE = experiments/viewer/page
playground: ## build the page to try schedulers on in bin/playground: static files with the simulator as WebAssembly
	@mkdir -p bin/playground
	@GOOS=js GOARCH=wasm $(GO) build -ldflags '-s -w' -o bin/playground/playground.wasm ./cmd/howdah-playground
	@gzip -9nf bin/playground/playground.wasm
	@cp internal/webui/static/{style.css,icon.svg} $(PAGE)/{index.html,playground.js,playground.css} bin/playground
	@cat "$$($(GO) env GOROOT)/lib/wasm/wasm_exec.js" $(PAGE)/wasm.js > bin/playground/engine.js

names: runtime ## link bin/names/hadoop, mapred and hdfs to bin/howdah
	@mkdir -p bin/names && for n in hadoop mapred hdfs; do ln -sf ../howdah bin/names/$$n; done

images: runtime ## build container images howdah and howdah-hdfs for docker/compose.yaml, also tagged VERSION (needs Docker; BASE=IMAGE, HDFS_BASE=IMAGE)
	@! command -v mvn >/dev/null || mvn -q -B -f docker/hdfs/pom.xml dependency:copy-dependencies \
	  -DoutputDirectory=$(CURDIR)/bin/hdfs-jars
	docker build -f docker/Dockerfile --target howdah $(TAGS:%=-t howdah:%) $(BASES) .
	docker build -f docker/Dockerfile --target hdfs $(TAGS:%=-t howdah-hdfs:%) $(BASES) .

TAGS = latest $(VERSION)
BASES = --build-arg VERSION=$(VERSION) $(if $(BASE),--build-arg BASE=$(BASE)) \
  $(if $(HDFS_BASE),--build-arg HDFS_BASE=$(HDFS_BASE))

demo: runtime ## count the words of Go's standard library on a cluster of four processes
	@docs/examples/demo.sh

# -vet=off: by default, go test vets each package with a few of vet's analyzers. make check runs all analyzers on the
# same packages and their tests, for two systems, so running them here again would only cost time.
# Simulations, the linker, and staticcheck allocate much short-lived memory. Collecting garbage only when a process
# approaches the limit saves about a fifth of their CPU. Fresh memory also costs time, so tests, which keep little, have
# a lower limit than the tools that build them.
test slow check: export GOGC = off
test slow: export GOMEMLIMIT = 256MiB
test slow: BUILD_LIMIT = -toolexec 'env GOMEMLIMIT=1GiB'
test slow: export TMPDIR = $(shell build/tools/tmpdir.sh)
check: export GOMEMLIMIT = 2GiB
# Some tests wait for processes and connections, so the number of packages run at a time is one more than that of cores.
test: ## run all unit tests: no root, no network, no sleeps
	$(GO) test -vet=off $(BUILD_LIMIT) -p $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1) $(PKGS)

slow: ## run all unit tests again and list the 20 slowest
	@$(GO) test -vet=off $(BUILD_LIMIT) -count=1 -json $(PKGS) \
	  | sed -nE '/"Action":"(pass|fail)"/s/.*"Package":"([^"]*)","Test":"([^"]*)","Elapsed":([0-9.e-]+).*/\3 \1 \2/p' \
	  | sort -gr | sed -n 1,20p

race: export CGO_ENABLED = 1
race: ## run all unit tests under the race detector
	$(GO) test -race $(PKGS)

check: ## check format, go.mod, vet (here and for darwin), staticcheck, alert rules, import, purity and text rules, allocations, growth of policies
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" \
	  || { echo "not formatted (run gofmt -w):"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) mod tidy -diff
	$(GO) -C build/tools mod tidy -diff
	$(GO) -C build/tools run ./vet $(CURDIR) linux $(PKGS) -- linux/integration ./integration/... -- darwin $(PKGS)
	$(TOOL) staticcheck $(PKGS)
	$(GO) -C build/tools/monitoring run . $(CURDIR)/build/monitoring
	$(GO) test -count=1 ./internal/archtest
	$(GO) test -count=1 -vet=off -run Alloc \
	  $$(grep -rlE '^func Test\w*Alloc' --include='*_test.go' . | xargs -n1 dirname | sort -u)
	$(GO) test -count=1 -vet=off -run Growth -covermode=count -coverpkg=./scheduler/...,./internal/ordered \
	  ./scheduler/catalog

# The results of these packages do not depend on time, and they often wait for processes, so four of them run at once.
# Afterward, run the tests that measure time or load the machine.
SIDE_BY_SIDE = apachehadoop chaos formats fsshell hadoopdiff hdfs hostile hosts locality mrcluster pages pool secured \
  trust
QUIET = ^Test(EveryPolicy|FairPreemption|SlowTracker|TraceOnLiveCluster|WhatIfOnLiveCluster)$$
INTEGRATION = $(GO) test -count=1 -vet=off -tags integration -timeout 40m
integration: build playground ## test with real processes and faults; parts that need Java and Maven are skipped without them
	$(INTEGRATION) -p 4 -skip '$(QUIET)' ./integration $(SIDE_BY_SIDE:%=./integration/%)
	$(INTEGRATION) -run '$(QUIET)' ./integration
	$(INTEGRATION) -p 1 \
	  $$($(GO) list -tags integration ./integration/... | grep -vE '/integration(/($(subst $() ,|,$(SIDE_BY_SIDE))))?$$')

SEED ?= $(shell date +%s)
chaos: build ## run jobs for MINUTES (60) while two faults at a time strike the cluster, and check what clients were told (best as root)
	$(GO) test -count=1 -tags integration -timeout 0 ./integration/chaos -v -run Chaos -minutes $(or $(MINUTES),60) \
	  -seed $(SEED) $(if $(KEEP),-keep $(abspath $(KEEP)))

hostile: build ## send random and mutated input to every port of every daemon for MINUTES (10), while jobs run; SEED selects the input
	$(GO) test -count=1 -tags integration -timeout 0 ./integration/hostile -v -minutes $(or $(MINUTES),10) -seed $(SEED)

damage: ## damage a journal with live jobs at PLACES (500) random places; repeat with HOWDAH_SEED
	$(GO) test -count=1 ./jobtracker/daemon -run TestRandomDamage -v -places $(or $(PLACES),500) | grep -v level=

fsshell: build ## compare 1,000 random shell commands on one HDFS with Apache Hadoop (needs Java and Maven; 5 minutes)
	$(GO) test -count=1 -tags integration -timeout 30m ./integration/fsshell -v -commands 1000 -seed $(SEED) \
	  | grep -v -e '^ *=== ' -e '[$$]  -'

hdfs-campaign: build ## run 100 jobs on damaged replicas, and TeraSort of 1 GB while parts of HDFS die (needs Java and Maven; 2 to 20 minutes)
	$(GO) test -count=1 -tags integration -timeout 90m ./integration/hdfs -v -run 'JobOverDamage|TeraSort' -runs 100 \
	  -rows 10000000 -seed $(SEED)

hadoopdiff: build ## compare 400 cases and 500 random jobs with Apache Hadoop (needs Java and Maven; 25 minutes)
	$(GO) test -count=1 -tags integration -timeout 120m ./integration/hadoopdiff -v -whole -jobs 500 -seed $(SEED) \
	  | grep -v '^ *=== '

compose-test: build ## test docker/compose.yaml: jobs, a killed container, more and fewer TaskTrackers (needs Docker, compose, debootstrap; BASE=IMAGE replaces debootstrap)
	$(GO) test -count=1 -tags integration -timeout 40m ./integration/compose -v -required $(if $(BASE),-base $(BASE))

growshrink: build ## grow and shrink an MR-cluster under a TeraSort on slow nodes, in RUNS (20) random schedules (needs root and Java; 40 minutes)
	$(GO) test -count=1 -tags integration -timeout 180m ./integration/growshrink -v -run GrowAndShrink \
	  -schedules $(or $(RUNS),20) -seed $(SEED)

growshrink-time: build ## measure whether growing shortens a TeraSort, with PAIRS (2) of times on an idle machine (needs root and Java; 10 minutes)
	$(GO) test -count=1 -tags integration -timeout 60m ./integration/growshrink -v -run GrowingShortens \
	  -pairs $(or $(PAIRS),2)

mrcluster-moves: build ## move nodes with data between two MR-clusters with an HDFS each, TURNS (3) times there and back (needs Java and Maven; minutes a turn)
	$(GO) test -count=1 -tags integration -timeout 60m ./integration/mrcluster -v -run NothingIsLost \
	  -turns $(or $(TURNS),3)

mrcluster-campaign: build ## kill manager, agents, JobTrackers and TaskTrackers of a pool KILLS (200) times while jobs run (5 minutes or more)
	$(GO) test -count=1 -tags integration -timeout 120m ./integration/mrcluster -v -run KilledAtAnyMoment \
	  -kills $(or $(KILLS),200) -seed $(SEED)

mrcluster-hdfs-campaign: build ## the same, KILLS (30) times, with an HDFS in each MR-cluster and kills of its NameNodes and DataNodes (needs Java and Maven; 10 minutes)
	$(GO) test -count=1 -tags integration -timeout 120m ./integration/mrcluster -v -run KilledWithHDFS \
	  -hdfskills $(or $(KILLS),30) -seed $(SEED)

fuzz: ## run every fuzz target for FUZZTIME (10s)
	@grep -rlE '^func Fuzz' --include='*_test.go' . | sort | while read -r f; do \
	  for t in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' $$f); do \
	    echo "$$(dirname $$f) $$t"; $(GO) test -run '^$$' -fuzz "^$$t\$$" -fuzztime $(FUZZTIME) ./$$(dirname $$f) \
	      || exit 1; \
	  done; done

fawkes-campaign: ## simulate 10,000 random runs of MR-clusters with kills of managers, agents, JobTrackers and TaskTrackers (first seed SEED; 10 minutes)
	$(GO) test ./simulator/fawkes -run TestKilledAtRandom -schedules 10000 -seed $(SEED) -timeout 2h -v

bench: ## run the engines' benchmarks, with allocations
	$(GO) test -run '^$$' -bench . -benchmem $(PKGS) | sed '/no test files/d'

bench-compare: ## compare the speed of two revisions, OLD and NEW (HEAD), in PAIRS (9) of runs on BYTES (200 MB), and mark regressions; WORKS=LIST (5 minutes)
	$(GO) run -tags integration ./integration/bench/compare -old '$(OLD)' $(if $(NEW),-new $(NEW)) \
	  $(if $(BYTES),-bytes $(BYTES)) $(if $(PAIRS),-pairs $(PAIRS)) $(if $(WORKS),-works $(WORKS))

bench-growth: build ## measure how CPU time and memory grow with the work; SIZES (0.1,1,4) in GB, SERIES=REGEXP, POLICIES=LIST or all, RUNS (1), ARGS (15 minutes, 10 GB of disk)
	$(GO) run -tags integration ./integration/bench/growth $(if $(SIZES),-sizes $(SIZES)) \
	  $(if $(SERIES),-series '$(SERIES)') $(if $(POLICIES),-policies $(POLICIES)) $(if $(RUNS),-runs $(RUNS)) $(ARGS)

bench-peers: build ## compare howdah with Hadoop, Spark, DuckDB, GNU tools, and a hand-written program, and write a page to OUT; BYTES (1 GB), RUNS (5), PEERS=LIST, JOBS=LIST (an hour; needs Java, Maven, Python, and 15 GB of disk for all)
	$(GO) run -tags integration ./integration/bench/peers -out $(or $(OUT),docs/reference/benchmarks) \
	  $(if $(BYTES),-bytes $(BYTES)) $(if $(RUNS),-runs $(RUNS)) $(if $(PEERS),-peers $(PEERS)) $(if $(JOBS),-jobs $(JOBS))

bench-hdfs: build ## compare reads and writes of a 1 GiB file on HDFS with Apache Hadoop's client (needs Java, Maven, 5 GB of disk)
	$(GO) run ./integration/bench/hdfs

bench-streaming: build ## compare cat over 1 GB as a Streaming job with Apache Hadoop Streaming (needs Java, Maven, 5 GB of disk)
	$(GO) run ./integration/bench/streaming

pgo: build ## profile three jobs, and build bin/howdah again, optimized by the profile (4 minutes)
	$(GO) run -tags integration ./integration/bench/pgo -out bin/howdah.pgo
	$(BUILD) -pgo=bin/howdah.pgo -o bin/howdah ./cmd/howdah

bench-latency: build ## measure a small job on a cluster and in-process, and the CPU time of a task's child process
	$(GO) run ./integration/bench/latency

bench-manyjobs: build ## run 10,000 small jobs through one JobTracker: memory, open files, restart (10 minutes)
	$(GO) run ./integration/bench/manyjobs

bench-load: build ## load a JobTracker with TRACKERS (10000) simulated TaskTrackers, clients and browsers: CPU time, memory, latency; ARGS='-small 1000' or '-maps 1000' measures rates instead (2 minutes)
	$(GO) run ./integration/load $(if $(TRACKERS),-trackers $(TRACKERS)) $(ARGS)

bench-orchestrator: ## measure the cost of MROrchestrator's managers with 24 nodes of 100 tasks (needs control groups)
	$(GO) run ./integration/bench/orchestrator

bench-sim: ## measure the simulator's speed and memory on a trace of 1148 jobs
	$(GO) run ./integration/bench/simspeed

bench-what-if: build ## compare predictions of howdah sim what-if with the ends of jobs in 30 live mixes (80 minutes)
	$(GO) run ./integration/bench/whatif $(ARGS)

MUTANTS ?= 100
mutants: ## plant MUTANTS (100) bugs, drawn by SEED, and count those that the tests notice (20 minutes)
	$(GO) run ./internal/mutate -n $(MUTANTS) -seed $(SEED) ./jobtracker ./tasktracker ./orchestrator ./mrcluster \
	  ./mrcluster/weight $$($(GO) list ./scheduler/... | grep -v policytest) ./task/sortio ./task/shuffle ./internal/commit

golden: ## rewrite golden files and generated documents; review the diff
	$(GO) test -count=1 ./job ./conf ./internal/cli ./internal/cli/fs ./internal/cli/lab ./jobtracker \
	  ./jobtracker/history/hadoop ./tasktracker ./mrcluster ./mrcluster/journal ./simulator/trace/importer \
	  ./build/release -rewrite

gen: ## regenerate protobuf code
	$(GO) generate $(PKGS)
