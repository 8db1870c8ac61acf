package shell

import (
	"fmt"
	"sort"
	"strings"
)

// describe is what a model reads about the tool.
func (s *settings) describe() string {
	own := make(map[string]bool, len(s.Options.Commands))
	for _, c := range s.Options.Commands {
		own[c.Name] = true
	}
	var builtin []string
	for _, c := range s.commands {
		if !own[c.Name] {
			builtin = append(builtin, c.Name)
		}
	}
	sort.Strings(builtin)

	var b strings.Builder
	b.WriteString("Runs a bash 5.2 script with GNU tools, in a sandbox: it reaches nothing but what is named here.\n\n")
	b.WriteString("Kept between calls, also after a failure: working directory, variables, functions, aliases, files.\n" +
		"Not kept: set and shopt options, traps, open descriptors, positional parameters, $?, background jobs (ended soon after the script).\n")
	fmt.Fprintf(&b, "Files: the workspace is %s, where the first call starts; /tmp is scratch space of this session; /dev has null, zero, full, random, urandom, fd, stdin, stdout, stderr.", s.mount)
	if s.mount != "/" {
		b.WriteString(" Every other path (/etc, /proc, /home) is missing.")
	}
	b.WriteByte('\n')
	for _, m := range s.Mounts {
		access := ""
		if m.ReadOnly {
			access = ", read-only"
		}
		fmt.Fprintf(&b, "Mounted%s: %s\n", access, m.Path)
	}
	if s.HideHiddenPaths {
		b.WriteString("Workspace names that start with . or _ do not exist here.\n")
	}
	limit := "a script may run as long as the caller waits, or for timeout_ms"
	if s.Timeout > 0 {
		limit = "a script is stopped after " + seconds(s.Timeout) + ", or after timeout_ms"
	}
	fmt.Fprintf(&b, "Limits: %s (at most %s).", limit, seconds(max(s.MaximumToolTimeout, s.Timeout)))
	if s.MaximumOutputBytes > 0 {
		fmt.Fprintf(&b, " Output over %d bytes loses its middle; the last line then names a file in /tmp with the full text, for head, sed -n or grep.", s.MaximumOutputBytes)
	}
	b.WriteString(" stdin is empty; nothing can ask you.\n")
	fmt.Fprintf(&b, "Commands, besides all bash builtins: %s.\n", strings.Join(builtin, " "))
	b.WriteString("Not here: " + s.missing() + "terminal programs (vi, less, top), sudo, systemd. What is not listed is \"command not found\": do not try to install it.")
	if len(s.Options.Commands) > 0 {
		b.WriteString("\n\nAlso here:")
		for _, c := range s.Options.Commands {
			fmt.Fprintf(&b, "\n%s: %s", c.Name, strings.Join(strings.Fields(c.Summary), " "))
		}
	}
	return b.String()
}

// missing names the absent programs that models look for most.
func (s *settings) missing() string {
	var b strings.Builder
	for _, name := range [...]string{"git", "python3", "node", "go", "gcc", "make", "curl", "wget", "ssh", "docker", "apt"} {
		if s.byName[name] == nil {
			b.WriteString(name + ", ")
		}
	}
	return b.String()
}
