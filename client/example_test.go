package client_test

import (
	"context"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"

	"github.com/howdah/howdah/client"
	"github.com/howdah/howdah/conf"
	"github.com/howdah/howdah/dfs/local"
	"github.com/howdah/howdah/internal/auth"
	"github.com/howdah/howdah/internal/rpc"
	"github.com/howdah/howdah/internal/transport"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/status"
	"github.com/howdah/howdah/mapreduce"
)

// The examples talk to a JobTracker that answers from memory. A real program reads the address from
// the configuration:
//
//	c, err := conf.GenericOptions{}.Load() // from $HOWDAH_CONF_DIR
//	jobs, err := client.Dial(c, files)
func Example() {
	jobs, _ := dial()
	defer jobs.Close()
	ctx := context.Background()

	list, err := jobs.List(ctx, status.Filter{All: true})
	if err != nil {
		log.Fatal(err)
	}
	for _, j := range list {
		fmt.Println(j.ID, j.Name, j.State)
	}
	// Output:
	// job_202611210753_0001 wordcount RUNNING
	// job_202611210753_0002 sort SUCCEEDED
}

func ExampleClient_Submit() {
	jobs, c := dial()
	defer jobs.Close()
	in, err := os.CreateTemp("", "")
	if err != nil {
		log.Fatal(err)
	}
	defer os.Remove(in.Name())

	mapreduce.SetOutputPath(c, filepath.Join(os.TempDir(), "counts"))
	s, err := jobs.Submit(context.Background(), client.Job{Name: "wordcount", Conf: c, Splits: []mapreduce.Split{
		{Chunks: []mapreduce.Chunk{{Path: "file:" + in.Name(), Length: 100}}, Length: 100},
	}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(s.ID)
	// Output: job_202611210753_0001
}

func ExampleClient_Wait() {
	jobs, _ := dial()
	defer jobs.Close()

	result, err := jobs.Wait(context.Background(), sortJob, func(j *status.Job) {
		fmt.Printf("map %.0f%% reduce %.0f%%\n", 100*j.Maps.Progress, 100*j.Reduces.Progress)
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.State)
	// Output:
	// map 100% reduce 100%
	// SUCCEEDED
}

func ExampleClient_Status() {
	jobs, _ := dial()
	defer jobs.Close()

	j, err := jobs.Status(context.Background(), wordcountJob, status.Query{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s by %s: %s, %d of %d maps done\n", j.Name, j.User, j.State, j.Maps.Done, j.Maps.Total)
	// Output: wordcount by ada: RUNNING, 1 of 2 maps done
}

func ExampleClient_Counters() {
	jobs, _ := dial()
	defer jobs.Close()

	counters, err := jobs.Counters(context.Background(), wordcountJob)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("records read:", counters.Builtin[job.MapInputRecords])
	words, _ := counters.Get("WordCount", "WORDS")
	fmt.Println("words:", words)
	// Output:
	// records read: 7
	// words: 42
}

func ExampleClient_Attempts() {
	jobs, _ := dial()
	defer jobs.Close()

	attempts, err := jobs.Attempts(context.Background(), wordcountJob)
	if err != nil {
		log.Fatal(err)
	}
	for _, a := range attempts {
		fmt.Println(a.ID, a.State, "on", a.Tracker)
	}
	// Output:
	// attempt_202611210753_0001_m_000000_0 SUCCEEDED on tt1
	// attempt_202611210753_0001_m_000001_0 RUNNING on tt2
}

func ExampleClient_Kill() {
	jobs, _ := dial()
	defer jobs.Close()

	if err := jobs.Kill(context.Background(), wordcountJob, "no longer needed"); err != nil {
		log.Fatal(err)
	}
	// Output: kill job_202611210753_0001: no longer needed
}

func ExampleClient_KillTask() {
	jobs, _ := dial()
	defer jobs.Close()

	task, err := job.ParseTaskID("task_202611210753_0001_m_000001")
	if err != nil {
		log.Fatal(err)
	}
	if err := jobs.KillTask(context.Background(), task, "it hangs"); err != nil {
		log.Fatal(err)
	}
	// Output: kill attempt_202611210753_0001_m_000001_0: it hangs
}

func ExampleClient_KillAttempt() {
	jobs, _ := dial()
	defer jobs.Close()

	attempt, err := job.ParseAttemptID("attempt_202611210753_0001_m_000001_0")
	if err != nil {
		log.Fatal(err)
	}
	if err := jobs.KillAttempt(context.Background(), attempt, "its node is slow"); err != nil {
		log.Fatal(err)
	}
	// Output: kill attempt_202611210753_0001_m_000001_0: its node is slow
}

func ExampleClient_List() {
	jobs, _ := dial()
	defer jobs.Close()

	running, err := jobs.List(context.Background(), status.Filter{})
	if err != nil {
		log.Fatal(err)
	}
	for _, j := range running {
		fmt.Println(j.ID, j.Priority, j.Queue)
	}
	// Output: job_202611210753_0001 HIGH default
}

func ExampleClient_History() {
	jobs, _ := dial()
	defer jobs.Close()

	j, err := jobs.History(context.Background(), sortJob)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s took %d ms, attempts: %d\n", j.Name, j.FinishMs-j.SubmitMs, len(j.Attempts))
	// Output: sort took 9000 ms, attempts: 1
}

var (
	wordcountJob = job.ID{Cluster: "202611210753", Seq: 1}
	sortJob      = job.ID{Cluster: "202611210753", Seq: 2}
)

// dial starts a JobTracker that answers from memory and connects to it.
func dial() (*client.Client, *conf.Config) {
	dir, err := os.MkdirTemp("", "howdah-example-")
	if err != nil {
		log.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	secret, err := auth.Load(conf.New())
	if err != nil {
		log.Fatal(err)
	}
	s := rpc.NewServer(rpc.Options{Secret: secret})
	transport.Register(s, &memory{dir: dir})
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = rpc.Serve(ctx, s, l)
	}()
	c := conf.New()
	c.Set(conf.JobTrackerAddress.Name, l.Addr().String(), "example")
	files, err := local.Resolver(c)
	if err != nil {
		log.Fatal(err)
	}
	x, err := client.Dial(c, files)
	if err != nil {
		log.Fatal(err)
	}
	client.OnClose(x, func() {
		cancel()
		<-served
		os.RemoveAll(dir)
	})
	return x, c
}

// memory is a JobTracker that answers from memory and prints the commands that it receives.
type memory struct {
	transport.Jobs
	dir string
}

func (m *memory) jobs() []*status.Job {
	counters := &job.Counters{}
	counters.Builtin[job.MapInputRecords] = 7
	counters.Add("WordCount", "WORDS", 42)
	attempt := func(id job.ID, index int32, state job.AttemptState, tracker string) *status.Attempt {
		return &status.Attempt{ID: job.AttemptID{TaskID: job.TaskID{Job: id, Index: index}}, State: state, Tracker: tracker}
	}
	return []*status.Job{
		{ID: wordcountJob, Name: "wordcount", User: "ada", Queue: "default", Priority: job.High, State: job.Running,
			Maps: status.Tasks{Total: 2, Done: 1, Running: 1, Progress: 0.5}, SubmitMs: 500, Counters: counters,
			Attempts: []*status.Attempt{attempt(wordcountJob, 0, job.AttemptSucceeded, "tt1"),
				attempt(wordcountJob, 1, job.AttemptRunning, "tt2")}},
		{ID: sortJob, Name: "sort", User: "ada", Queue: "default", State: job.Succeeded, SubmitMs: 1_000, FinishMs: 10_000,
			Maps: status.Tasks{Total: 1, Done: 1, Progress: 1}, Reduces: status.Tasks{Progress: 1}, Counters: &job.Counters{},
			Attempts: []*status.Attempt{attempt(sortJob, 0, job.AttemptSucceeded, "tt1")}},
	}
}

func (m *memory) List(_ context.Context, f status.Filter) (out []*status.Job, err error) {
	for _, j := range m.jobs() {
		if f.All || !j.State.Terminal() {
			out = append(out, j)
		}
	}
	return out, nil
}

func (m *memory) Status(_ context.Context, id job.ID, _ status.Query) (*status.Job, error) {
	return m.jobs()[id.Seq-1], nil
}

func (m *memory) NewJob(context.Context, transport.NewJob) (*transport.Place, error) {
	probe := filepath.Join(m.dir, "probe")
	return &transport.Place{ID: wordcountJob.String(), StagingDir: "file:" + m.dir + "/user/.staging/job",
		ProbePath: "file:" + probe, ProbeText: "probe"}, os.WriteFile(probe, []byte("probe"), 0o600)
}

func (m *memory) Submit(context.Context, transport.Submission) (*transport.Submitted, error) {
	return &transport.Submitted{ID: wordcountJob}, nil
}

func (m *memory) Kill(_ context.Context, id job.ID, by transport.By) error {
	fmt.Printf("kill %s: %s\n", id, by.Why)
	return nil
}

func (m *memory) KillAttempt(_ context.Context, id job.AttemptID, _ bool, by transport.By) error {
	fmt.Printf("kill %s: %s\n", id, by.Why)
	return nil
}
