# `make` alone prints the menu: every line "target: ## text" below is an entry.
GO      ?= go
PKGS    ?= ./...
FUZZTIME ?= 10s
TOOL     = $(GO) tool -modfile=tools/go.mod
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo devel)

SHELL       = bash
.SHELLFLAGS = -eu -o pipefail -c

.DEFAULT_GOAL := menu
.PHONY: fawkes-campaign mrcluster-campaign mrcluster-hdfs-campaign images compose-test growshrink growshrink-time mrcluster-moves fsshell hadoopdiff bench-orchestrator bench-sim menu build runtime names demo test race check integration fuzz bench bench-hdfs bench-latency mutants bench-peers bench-streaming bench-manyjobs golden gen

menu:
	@echo "howdah: make TARGET"
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-14s %s\n", $$1, $$2}'

LDFLAGS = -s -w -X github.com/howdah/howdah/internal/version.linked=$(VERSION)

build: runtime ## leaves bin/howdah and, beside it, bin/howdah-lab (simulator, experiments)
	@CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/howdah-lab ./cmd/howdah-lab

runtime: ## leaves bin/howdah alone
	@CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/howdah ./cmd/howdah

names: runtime ## bin/names/hadoop, mapred and hdfs: this program under Hadoop's names
	@mkdir -p bin/names && for n in hadoop mapred hdfs; do ln -sf ../howdah bin/names/$$n; done

images: runtime ## container images howdah and howdah-hdfs for docker/compose.yaml (wants Docker; BASE=IMAGE, HDFS_BASE=IMAGE)
	@! command -v mvn >/dev/null || mvn -q -B -f docker/hdfs/pom.xml dependency:copy-dependencies -DoutputDirectory=$(CURDIR)/bin/hdfs-jars
	docker build -f docker/Dockerfile --target howdah -t howdah $(BASES) .
	docker build -f docker/Dockerfile --target hdfs -t howdah-hdfs $(BASES) .

BASES = $(if $(BASE),--build-arg BASE=$(BASE)) $(if $(HDFS_BASE),--build-arg HDFS_BASE=$(HDFS_BASE))

demo: runtime ## a cluster of four processes counts the words of Go's standard library
	@examples/demo.sh

test: ## all unit tests: no root, no network, no sleeps
	$(GO) test $(PKGS)

race: ## the same under the race detector
	$(GO) test -race $(PKGS)

check: ## format, vet (here and for darwin), staticcheck, import and purity rules, allocations
	@test -z "$$(gofmt -l $$(git ls-files '*.go'))" || { echo "not formatted (run gofmt -w):"; gofmt -l $$(git ls-files '*.go'); exit 1; }
	$(GO) vet $(PKGS)
	$(GO) vet -tags integration ./integration/...
	GOOS=darwin $(GO) vet $(PKGS)
	$(TOOL) staticcheck $(PKGS)
	$(GO) test -count=1 ./internal/archtest
	$(GO) test -count=1 -run 'Alloc' $(PKGS) | sed '/no test files\|no tests to run/d'

integration: build ## real processes, real faults; parts that want Java and Maven are skipped without them
	$(GO) test -count=1 -p 1 -tags integration -timeout 40m ./integration/...

SEED ?= $(shell date +%s)
fsshell: build ## 1,000 random commands of the shell on one HDFS, by Apache Hadoop and here, compared (wants Java and Maven; 5 minutes)
	$(GO) test -count=1 -tags integration -timeout 30m ./integration/fsshell -v -commands 1000 -seed $(SEED) | grep -v -e '^ *=== ' -e '[$$]  -'

hdfs-campaign: build ## 100 jobs over damaged replicas, and TeraSort of 1 GB while parts of HDFS die (wants Java and Maven; 2 to 20 minutes)
	$(GO) test -count=1 -tags integration -timeout 90m ./integration/hdfs -v -run 'JobOverDamage|TeraSort' -runs 100 -rows 10000000 -seed $(SEED)

hadoopdiff: build ## 400 cases and 500 random jobs on Apache Hadoop and here, compared (wants Java and Maven; 25 minutes)
	$(GO) test -count=1 -tags integration -timeout 120m ./integration/hadoopdiff -v -whole -jobs 500 -seed $(SEED) | grep -v '^ *=== '

compose-test: build ## docker/compose.yaml: jobs, a killed container, more and fewer TaskTrackers (wants Docker, compose, debootstrap; BASE=IMAGE spares debootstrap)
	$(GO) test -count=1 -tags integration -timeout 40m ./integration/compose -v -required $(if $(BASE),-base $(BASE))

growshrink: build ## RUNS (20) random schedules of an MR-cluster that grows and shrinks under a TeraSort, on slow nodes (wants root and Java; 40 minutes)
	$(GO) test -count=1 -tags integration -timeout 180m ./integration/growshrink -v -run GrowAndShrink -schedules $(or $(RUNS),20) -seed $(SEED)

growshrink-time: build ## whether growing shortens a TeraSort: PAIRS (2) of times, on an idle machine (wants root and Java; 10 minutes)
	$(GO) test -count=1 -tags integration -timeout 60m ./integration/growshrink -v -run GrowingShortens -pairs $(or $(PAIRS),2)

mrcluster-moves: build ## nodes with data move between two MR-clusters with an HDFS each, TURNS (3) times there and back (wants Java and Maven; minutes a turn)
	$(GO) test -count=1 -tags integration -timeout 60m ./integration/mrcluster -v -run NothingIsLost -turns $(or $(TURNS),3)

mrcluster-campaign: build ## manager, agents, JobTrackers and TaskTrackers of a pool are killed KILLS (200) times while jobs run (5 minutes and more)
	$(GO) test -count=1 -tags integration -timeout 120m ./integration/mrcluster -v -run KilledAtAnyMoment -kills $(or $(KILLS),200) -seed $(SEED)

mrcluster-hdfs-campaign: build ## the same with an HDFS in each MR-cluster, whose NameNodes and DataNodes are killed too: KILLS (30) times (wants Java and Maven; 10 minutes)
	$(GO) test -count=1 -tags integration -timeout 120m ./integration/mrcluster -v -run KilledWithHDFS -hdfskills $(or $(KILLS),30) -seed $(SEED)

fuzz: ## every fuzz target for FUZZTIME (10s)
	@grep -rlE '^func Fuzz' --include='*_test.go' . | sort | while read -r f; do \
	  for t in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\).*/\1/p' $$f); do \
	    echo "$$(dirname $$f) $$t"; $(GO) test -run '^$$' -fuzz "^$$t\$$" -fuzztime $(FUZZTIME) ./$$(dirname $$f) || exit 1; \
	  done; done

fawkes-campaign: ## 10,000 random runs of MR-clusters in the simulator, in which managers, agents, JobTrackers and TaskTrackers are killed (SEED is the first; 10 minutes)
	$(GO) test ./simulator/fawkes -run TestKilledAtRandom -schedules 10000 -seed $(SEED) -timeout 2h -v

bench: ## the engines' benchmarks, with allocations
	$(GO) test -run '^$$' -bench . -benchmem $(PKGS) | sed '/no test files/d'

bench-peers: build ## wordcount and TeraSort of 1 GB beside Apache Hadoop 3.4.2 (wants Java, Maven, 10 GB of disk)
	$(GO) run ./bench/peers

bench-hdfs: build ## one file of 1 GiB read from and written to HDFS, beside Apache Hadoop's client (wants Java, Maven, 5 GB of disk)
	$(GO) run ./bench/hdfs

bench-streaming: build ## cat over 1 GB as a Streaming job beside Apache Hadoop Streaming (wants Java, Maven, 5 GB of disk)
	$(GO) run ./bench/streaming

bench-latency: build ## a small job on a cluster and in-process; the CPU of a task's child process
	$(GO) run ./bench/latency

bench-manyjobs: build ## 10,000 small jobs through one JobTracker: memory, open files, restart (10 minutes)
	$(GO) run ./bench/manyjobs

bench-orchestrator: ## what MROrchestrator's managers cost with 24 nodes of 100 tasks (wants control groups)
	$(GO) run ./bench/orchestrator

bench-sim: ## the simulator's speed and memory on a trace of 1148 jobs
	$(GO) run ./bench/simspeed

mutants: ## 24 bugs planted in each machine, drawn by SEED: do the tests notice? (20 minutes)
	$(GO) run ./internal/mutate -n 24 -seed $(SEED) ./jobtracker
	$(GO) run ./internal/mutate -n 24 -seed $(SEED) ./tasktracker

golden: ## rewrite golden files and generated documents; look at the diff afterwards
	$(GO) test -count=1 ./job ./conf ./cli ./cli/fs ./cli/lab ./history/hadoop ./tasktracker ./mrcluster ./mrcluster/journal ./simulator/trace/importer -rewrite

gen: ## regenerate protobuf code and other generated files
	$(GO) generate $(PKGS)
