package cases

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"
)

// countsFile holds the counts reached, "FAMILY COUNT" a line. VSH_CASES_WRITE=1
// raises them to what this run reached.
const countsFile = "testdata/counts.txt"

// shared is where the recorded cases lie beside a checkout; VSH_CASES names
// another folder.
func shared() string {
	if dir := os.Getenv("VSH_CASES"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "..", "shared", "cases")
}

// TestCases runs every family and prints its count; a family that falls under
// the count written down fails. -run 'TestCases/grep/no-match' runs one case
// and shows how it differs.
func TestCases(t *testing.T) {
	own, _ := filepath.Glob("testdata/*.jsonl")
	recorded, _ := filepath.Glob(filepath.Join(shared(), "*.jsonl"))
	if len(own)+len(recorded) == 0 {
		t.Fatal("no cases")
	}
	reached := readCounts(t)
	var mu sync.Mutex
	var summary []string
	for _, file := range append(own, recorded...) {
		family := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		if filepath.Dir(file) == "testdata" {
			family = "own/" + family
		}
		all, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		t.Run(strings.TrimPrefix(family, "own/"), func(t *testing.T) {
			passed, ran := runFamily(t, family, all)
			if ran < len(all) {
				return
			}
			mu.Lock()
			defer mu.Unlock()
			summary = append(summary, fmt.Sprintf("cases %-18s %4d / %d", family, passed, len(all)))
			if passed < reached[family] {
				t.Errorf("%s: %d cases pass, %d did before", family, passed, reached[family])
			}
			reached[family] = max(reached[family], passed)
		})
	}
	sort.Strings(summary)
	for _, line := range summary {
		fmt.Println(line)
	}
	if os.Getenv("VSH_CASES_WRITE") != "" {
		writeCounts(t, reached)
	}
}

// runFamily runs cases on all processors. Subtests serve only to choose and to
// show: a case that differs does not fail by itself, the family's count does.
func runFamily(t *testing.T, family string, all []*Case) (passed, ran int) {
	var mu sync.Mutex
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	verbose := os.Getenv("VSH_CASES_SHOW") != ""
	for _, c := range all {
		chosen := false
		t.Run(c.Name, func(*testing.T) { chosen = true })
		if !chosen {
			continue
		}
		ran++
		wait.Add(1)
		slots <- struct{}{}
		go func() {
			defer wait.Done()
			defer func() { <-slots }()
			ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
			defer cancel()
			difference := c.Run(ctx)
			mu.Lock()
			defer mu.Unlock()
			if difference == "" {
				passed++
			} else if verbose {
				fmt.Printf("--- %s/%s\n%s\n%s\n", family, c.Name, c.Script, difference)
			}
		}()
	}
	wait.Wait()
	if ran < len(all) {
		fmt.Printf("chosen %s: %d / %d\n", family, passed, ran)
	}
	return passed, ran
}

func readCounts(t *testing.T) map[string]int {
	counts := map[string]int{}
	f, err := os.Open(countsFile)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	for in.Scan() {
		var family string
		var n int
		if _, err := fmt.Sscan(in.Text(), &family, &n); err != nil {
			t.Fatalf("%s: %q: %v", countsFile, in.Text(), err)
		}
		counts[family] = n
	}
	return counts
}

func writeCounts(t *testing.T, counts map[string]int) {
	var lines []string
	for family, n := range counts {
		lines = append(lines, fmt.Sprintf("%s %d\n", family, n))
	}
	sort.Strings(lines)
	if err := os.WriteFile(countsFile, []byte(strings.Join(lines, "")), 0o644); err != nil {
		t.Fatal(err)
	}
}
