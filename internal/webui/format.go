package webui

import (
	"fmt"
	"html/template"
	"reflect"
	"strings"
	"time"

	"github.com/howdah/howdah/internal/plural"
	"github.com/howdah/howdah/job"
)

// functions contains the functions that templates can call.
var functions = template.FuncMap{
	"clock":    clock,
	"daytime":  daytime,
	"short":    func(id job.AttemptID) string { return short(id.String()) },
	"span":     span,
	"ago":      func(ms int64) string { return span(ms, time.Now().UnixMilli()) },
	"percent":  percent,
	"thousand": thousand,
	"lower":    func(v any) string { return strings.ToLower(fmt.Sprint(v)) },
	"pct":      func(part, whole int32) string { return percent(share(part, whole)) },
	"share":    share,
	"beside":   func(x float64) float64 { return x + 2 }, // where the text of a mark begins
	"add":      func(a, b int) int { return a + b },
	"fraction": func(f float64) float32 { return float32(f) },
	"deadline": deadline,
	"late":     late,
	"visit":    visitLink,
	"count":    func(n any, noun string) string { return plural.Of(reflect.ValueOf(n).Int(), noun) },

	"sinces": func() map[string]string {
		return map[string]string{"1h": "in the last hour", "24h": "in the last day", "168h": "in the last week"}
	},
	"millis":      millis,
	"mib":         func(bytes int64) string { return thousand(bytes >> 20) },
	"thousandths": func(n int64) string { return fmt.Sprintf("%.2f CPUs", float64(n)/1000) },
}

// clock formats a time. 0 means that the event has not happened yet.
func clock(ms int64) string {
	if ms == 0 {
		return "–"
	}
	return time.UnixMilli(ms).Format("2 Jan 15:04:05")
}

// daytime formats a time of day.
func daytime(ms int64) string {
	if ms == 0 {
		return "–"
	}
	return time.UnixMilli(ms).Format("15:04:05")
}

// short shortens an attempt's ID to the part that is not in the page's title, such as m_000003_0.
func short(id string) string {
	f := strings.SplitN(id, "_", 4)
	if len(f) < 4 {
		return id
	}
	return f[3]
}

// span formats the time between from and to, which are in ms since the epoch. If to is 0, the span
// ends now. If from is 0, the result is "–".
func span(from, to int64) string {
	if from == 0 {
		return "–"
	}
	if to == 0 {
		to = time.Now().UnixMilli()
	}
	d := time.Duration(max(0, to-from)) * time.Millisecond
	switch {
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	case d < 10*time.Second:
		return fmt.Sprintf("%.1f s", d.Seconds())
	case d < 2*time.Minute:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < 2*time.Hour:
		return fmt.Sprintf("%d min %02d s", int(d.Minutes()), int(d.Seconds())%60)
	case d < 48*time.Hour:
		return fmt.Sprintf("%d h %02d min", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%d d %d h", int(d.Hours())/24, int(d.Hours())%24)
}

// percent formats a fraction from 0 to 1 as a percentage. It rounds down, so that only 1 becomes
// 100%.
func percent(f float32) string {
	p := int(f * 100)
	return fmt.Sprintf("%d%%", min(max(p, 0), 100))
}

func share(part, whole int32) float32 {
	if whole <= 0 {
		return 0
	}
	return float32(part) / float32(whole)
}

// thousand formats a number with grouped digits, such as 1,234,567.
func thousand(n int64) string {
	s := fmt.Sprint(n)
	neg := strings.HasPrefix(s, "-")
	s = strings.TrimPrefix(s, "-")
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	if neg {
		return "-" + s
	}
	return s
}
