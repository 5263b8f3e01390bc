package lab

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/howdah/howdah/job/failure"
)

const document = `
id: TEST-!
item: Figure 1
claim: two is more than one
simulated:
  version: 2
  relations:
    - id: more
      claim: two is more than one
      unit: points
      paper:
        value: 4
        to: 5
        reads: about four to five
      test: above
      minimum: 0
      expected: holds
    - id: same
      claim: one is two
      test: within
      minimum: -1
      maximum: 1
      by: exact
      expected: fails
      reason: they differ
      note: set late
`

func TestParseRegistration(t *testing.T) {
	g, err := ParseRegistration("TEST-!", []byte(document))
	require.NoError(t, err)
	require.Equal(t, 2, g.Plan(false).Version)
	require.Nil(t, g.Plan(true))
	require.Len(t, g.Sim.Relations, 2)
	five := 5.0
	require.Equal(t, &Number{4, &five, "about four to five"}, g.Sim.Relations[0].Paper)
	require.Equal(t, ByExact, g.Sim.Relations[1].By)
}

// A registration is rejected if it is incomplete, contradicts itself, or has an unknown field.
func TestInvalidRegistrations(t *testing.T) {
	for change, want := range map[string]string{
		"id: TEST-!|id: TEST-1":                      `it is for "TEST-1"`,
		"item: Figure 1|item:":                       "needs an item",
		"version: 2|version: 0":                      "version of at least 1",
		"unit: points|units: points":                 "field units not found",
		"id: same|id: more":                          "relation more occurs twice",
		"id: same|id: sa me":                         "its ID may consist",
		"claim: one is two|claim:":                   "needs a claim",
		"test: above|test: greater":                  `no test is called "greater"`,
		"test: above|test: below":                    `test "below" needs other bounds`,
		"      maximum: 1\n|":                        `test "within" needs other bounds`,
		"minimum: -1|minimum: 2":                     "its minimum is above its maximum",
		"by: exact|by: guess":                        `no kind of effect is called "guess"`,
		"expected: holds|expected: yes":              `expected that it "yes"`,
		"      reason: they differ\n|":               "a reason is required",
		"expected: fails|expected: holds":            "a reason is required",
		"note: set late|explains: [TEST-! more now]": "needs the name of a run",
		"to: 5|to: 3":                                "a range must be in order",
		"        reads: about four to five\n|":       "how to read it",
		"reason: they differ|reason: x\n---\nid: 1":  "more than one document",
	} {
		from, to, _ := strings.Cut(change, "|")
		require.Contains(t, document, from)
		_, err := ParseRegistration("TEST-!", []byte(strings.Replace(document, from, to, 1)))
		require.ErrorContains(t, err, want, change)
		require.True(t, failure.Is(err, failure.Corrupt))
	}
}
