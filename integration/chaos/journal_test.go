//go:build integration

package chaos

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/integration/minicluster"
	"github.com/howdah/howdah/internal/factlog"
	"github.com/howdah/howdah/job"
	"github.com/howdah/howdah/job/event"
	"github.com/howdah/howdah/jobtracker/history"
)

// journal is the content of a stopped JobTracker's journal.
type journal struct {
	file    string
	text    []byte
	records []record
	cluster string
}

// record is the position of a fact in the journal.
type record struct {
	from, to int
	job      int32 // 0: none
}

func (f *fault) journal() (*journal, bool) {
	dir := filepath.Join(f.c.Dir, "jobtracker")
	file, err := factlog.Newest(dir)
	if err != nil {
		return nil, false
	}
	j := &journal{file: file}
	j.text, err = os.ReadFile(file)
	require.NoError(f.t, err)
	d := history.NewDecoder(bytes.NewReader(j.text))
	for from := 0; ; from = int(d.Offset()) {
		var e event.Event
		if d.Next(&e) != nil {
			return j, len(j.records) > 0
		}
		j.records = append(j.records, record{from, int(d.Offset()), e.Job})
		if e.Type == event.Started {
			j.cluster = e.Name
		}
	}
}

// jobsFrom returns the jobs with facts that end after an offset.
func (j *journal) jobsFrom(at int) (jobs []job.ID) {
	for _, r := range j.records {
		id := job.ID{Cluster: j.cluster, Seq: r.job}
		if r.to > at && r.job > 0 && !slices.Contains(jobs, id) {
			jobs = append(jobs, id)
		}
	}
	return jobs
}

// tear leaves half a record at the end of the journal, like a crash during a write. The JobTracker
// starts with everything that was durable.
func (f *fault) tear() (func(), bool) {
	f.kill("jobtracker")
	j, ok := f.journal()
	if !ok {
		return nil, false
	}
	f.strikes(fmt.Sprintf("after %d bytes", len(j.text)))
	w, err := os.OpenFile(j.file, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(f.t, err)
	_, err = w.Write([]byte{40, 0, 0, 0, 1, 2, 3})
	require.NoError(f.t, err)
	require.NoError(f.t, w.Close())
	return nil, true
}

// loseEnd cuts up to 2,000 bytes off the end of the journal, like a disk that loses synced data.
func (f *fault) loseEnd() (func(), bool) {
	down := f.h.Now()
	f.kill("jobtracker")
	j, ok := f.journal()
	if !ok {
		return nil, false
	}
	at := max(len(j.text)-1-f.r.IntN(2000), j.records[0].to)
	cut := Cut{Down: down, Jobs: j.jobsFrom(at)}
	f.strikes(fmt.Sprintf("from byte %d of %d on, with facts of %v", at, len(j.text), cut.Jobs))
	require.NoError(f.t, os.Truncate(j.file, int64(at)))
	cut.Up = f.h.Now()
	f.h.AddCut(cut)
	return nil, true
}

// flipBit returns a journal with a bit flipped in a record, and a description.
func (f *fault) flipBit(b []byte, r record) (what string, damaged []byte) {
	at := r.from + f.r.IntN(r.to-r.from)
	b[at] ^= 1 << f.r.IntN(8)
	return fmt.Sprintf("at byte %d", at), b
}

// dropRecord returns a journal without a record.
func (f *fault) dropRecord(b []byte, r record) (what string, damaged []byte) {
	return fmt.Sprintf("without bytes %d to %d", r.from, r.to), slices.Delete(b, r.from, r.to)
}

// damage corrupts a part of the journal that intact facts follow. The JobTracker refuses to start
// and names the file. After a repair, it starts with the facts before the damage.
func (f *fault) damage(harm func(*fault, []byte, record) (string, []byte)) (func(), bool) {
	down := f.h.Now()
	f.kill("jobtracker")
	j, ok := f.journal()
	if !ok {
		return nil, false
	}
	// The damage hits one of the last hundred facts before the last write.
	last := bytes.LastIndex(j.text, history.Mark)
	before := slices.DeleteFunc(slices.Clone(j.records), func(r record) bool { return r.to > last })
	if len(before) < 2 {
		return nil, false
	}
	r := before[len(before)-1-f.r.IntN(min(100, len(before)-1))]
	// If only the checksum of a mark shows the damage, everything since the mark before it is suspect.
	cut := Cut{Down: down, Jobs: j.jobsFrom(bytes.LastIndex(j.text[:r.from], history.Mark))}
	what, damaged := harm(f, bytes.Clone(j.text), r)
	f.strikes(fmt.Sprintf("%s of %d, with facts of %v", what, len(j.text), cut.Jobs))
	require.NoError(f.t, os.WriteFile(j.file, damaged, 0o600))

	said := len(f.c.Log("jobtracker"))
	ended := f.up("jobtracker")
	select {
	case <-ended:
	case <-time.After(20 * time.Second):
		f.t.Errorf("the JobTracker starts with a journal that is damaged %s of %d", what, len(j.text))
		return nil, true
	}
	if log := f.c.Log("jobtracker")[said:]; !strings.Contains(log, j.file) || !strings.Contains(log, "--repair") {
		f.t.Errorf("the JobTracker does not say what is damaged and how to repair it: %s", log)
	}
	f.repair(j.file, damaged)
	cut.Up = f.h.Now()
	f.h.AddCut(cut)
	return nil, true
}

// repair repairs the journal as an administrator would. It first inspects the journal and then cuts
// it.
func (f *fault) repair(file string, damaged []byte) {
	var look minicluster.Result
	if look = f.c.Howdah("jobtracker", "--repair"); look.Code == 0 {
		f.t.Errorf("howdah jobtracker --repair does not find the damage: %s%s", look.Out, look.Err)
	}
	now, err := os.ReadFile(file)
	require.NoError(f.t, err)
	require.Equal(f.t, damaged, now, "--repair alone changes nothing")
	if cut := f.c.Howdah("jobtracker", "--repair", "--cut"); cut.Code != 0 {
		f.t.Errorf("howdah jobtracker --repair --cut: %s%s", cut.Out, cut.Err)
	}
}
