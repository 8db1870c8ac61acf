package strftime

import (
	"fmt"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSameAsDate(t *testing.T) {
	date, err := exec.LookPath("date")
	if err != nil {
		t.Skip("no date to compare with")
	}
	var formats []string
	for _, verb := range "aAbBcCdDeFgGhHIjklmMnNpPqrRsStTuUVwWxXyYzZ%+Qf" {
		for _, flags := range []string{"", "-", "_", "0", "^", "#", "+", "12", "_12", "-12", "012", "3", "^#", "E", "O", "+9"} {
			formats = append(formats, "%"+flags+string(verb))
		}
	}
	formats = append(formats, "%:z", "%::z", "%:::z", "%::::z", "%:Y", "%_:z", "%-::z", "a%", "%Ez%Oy", "%8:z")
	for _, tz := range []string{"UTC", "America/New_York", "Asia/Kolkata", "EST5EDT", "<+03>-3", "CET-1CEST,M3.5.0,M10.5.0/3", "XYZ4:30", "Nowhere", "Nowhere/City"} {
		for _, seconds := range []int64{0, 1709211909, 1720000000, -1, 253402300800, -30000000000, 951782400} {
			if seconds < -1 && tz != "UTC" {
				continue
			}
			when, written := time.Unix(seconds, 0).In(Zone(tz)), fmt.Sprintf("@%d", seconds)
			if seconds > 0 {
				when, written = when.Add(123456780), written+".123456780"
			}
			cmd := exec.Command(date, "-d", written, "+"+strings.Join(formats, "|"))
			cmd.Env = []string{"LC_ALL=C.UTF-8", "TZ=" + tz}
			want, err := cmd.Output()
			require.NoError(t, err)
			wants := strings.Split(strings.TrimSuffix(string(want), "\n"), "|")
			require.Len(t, wants, len(formats))
			for i, f := range formats {
				assert.Equal(t, wants[i], Format(f, when, true), "%s %s %d", f, tz, seconds)
			}
		}
	}
}

func TestSameAsBash(t *testing.T) {
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("no bash to compare with")
	}
	var formats []string
	for _, verb := range "aAbBcCdDeFgGhHIjklmMnNpPqrRsStTuUVwWxXyYzZ%Qf" {
		for _, flags := range []string{"", "-", "_", "0", "^", "#", "12", "E", "O"} {
			formats = append(formats, "%"+flags+string(verb))
		}
	}
	for _, seconds := range []int64{0, 1709211909, -30000000000} {
		// bash gives up on a long result, so each format is a conversion of its own.
		cmd := exec.Command(bash, "-c", `printf "%(`+strings.Join(formats, ")T|%(")+`)T"`+strings.Repeat(" "+fmt.Sprint(seconds), len(formats)))
		cmd.Env = []string{"LC_ALL=C.UTF-8", "TZ=UTC"}
		want, err := cmd.Output()
		require.NoError(t, err)
		wants := strings.Split(string(want), "|")
		require.Len(t, wants, len(formats))
		for i, f := range formats {
			assert.Equal(t, wants[i], Format(f, time.Unix(seconds, 0).UTC(), false), "%s %d", f, seconds)
		}
	}
}
