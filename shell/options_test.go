package shell

import (
	"context"
	"testing"

	"github.com/spf13/afero"
	"github.com/stretchr/testify/require"
)

func nothing(context.Context, *Invocation) error { return nil }

func newCommand(name, summary string, run func(context.Context, *Invocation) error) Command {
	return Command{Name: name, Summary: summary, Run: run}
}

func TestNewNamesTheFieldThatCannotWork(t *testing.T) {
	storage := afero.NewMemMapFs()
	own := func(c ...Command) *Options { return &Options{Storage: storage, Commands: c} }
	for _, test := range []struct {
		rule    string
		options *Options
		want    string
	}{
		{"no options", nil, "Options"},
		{"no storage", &Options{}, "Options.Storage"},
		{"mount point not absolute", &Options{Storage: storage, MountPoint: "work"}, "Options.MountPoint"},
		{"mount point /tmp", &Options{Storage: storage, MountPoint: "/tmp/"}, "Options.MountPoint"},
		{"mount point /dev", &Options{Storage: storage, MountPoint: "/dev"}, "Options.MountPoint"},
		{"mount point below /dev", &Options{Storage: storage, MountPoint: "/x/../dev/shm"}, "Options.MountPoint"},
		{"command without name", own(Command{Summary: "s", Run: nothing}), "Name"},
		{"command with blank name", own(Command{Name: " ", Summary: "s", Run: nothing}), "Name"},
		{"command of two words", own(Command{Name: "a b", Summary: "s", Run: nothing}), "Name"},
		{"command with a slash", own(Command{Name: "a/b", Summary: "s", Run: nothing}), "slash"},
		{"command without summary", own(Command{Name: "a", Run: nothing}), "Summary"},
		{"command without run", own(Command{Name: "a", Summary: "s"}), "Run"},
		{"duplicate command", own(newCommand("a", "s", nothing), newCommand("a", "s", nothing)), "duplicate"},
		{"keyword", own(newCommand("while", "s", nothing)), "keyword"},
		{"shell builtin", own(newCommand("cd", "s", nothing)), "builtin"},
		{"shell builtin that is a program too", own(newCommand("echo", "s", nothing)), "builtin"},
		{"environment without =", &Options{Storage: storage, Environment: []string{"A"}}, "Options.Environment"},
		{"environment with a bad name", &Options{Storage: storage, Environment: []string{"1A=x"}}, "Options.Environment"},
		{"environment without a name", &Options{Storage: storage, Environment: []string{"=x"}}, "Options.Environment"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			sh, err := New(test.options)
			require.Nil(t, sh)
			require.ErrorContains(t, err, test.want)
		})
	}
}

func TestNewAccepts(t *testing.T) {
	storage := afero.NewMemMapFs()
	for rule, options := range map[string]*Options{
		"only a storage":           {Storage: storage},
		"mount point below /tmp":   {Storage: storage, MountPoint: "/tmp/work"},
		"mount point beside /dev":  {Storage: storage, MountPoint: "/devel"},
		"a built-in's replacement": {Storage: storage, Commands: []Command{newCommand("grep", "mine", nothing)}},
		"an empty value":           {Storage: storage, Environment: []string{"A="}},
	} {
		t.Run(rule, func(t *testing.T) {
			_, err := New(options)
			require.NoError(t, err)
		})
	}
}
