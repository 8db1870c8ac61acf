package interp

import "maps"

// Fork makes a session that starts as s is between two runs: variables,
// functions, aliases, directory, umask, history, the state of RANDOM and
// SECONDS. config is the new session's; its budget must differ from that of s,
// and pays for all it starts with. What both have is shared until one of them
// changes it. No run of s may be under way.
func (s *Session) Fork(config Config) (*Session, error) {
	f := NewSession(config)
	// What NewSession has charged is replaced.
	fresh := f.saved
	s.symbols.mu.RLock()
	f.symbols.ids = maps.Clone(s.symbols.ids)
	f.symbols.names = append([]string(nil), s.symbols.names...)
	s.symbols.mu.RUnlock()
	// Nothing has an epoch of a run to come, in either session: the first
	// write copies.
	f.epochs.Store(max(s.epochs.Load(), f.epochs.Load()))
	f.pids.Store(s.pids.Load())
	f.started = s.started
	f.saved, f.baseline = s.saved, s.baseline
	for _, state := range []*state{&f.saved, &f.baseline} {
		state.session = f
		state.vars.pages = append([]*page(nil), state.vars.pages...)
		state.run, state.parent = nil, nil
	}
	f.saved.view = config.View.WithDirectory(s.saved.view.Directory()).WithUmask(s.saved.view.Umask())
	f.baseline.view = config.View
	charged := f.saved.held + f.saved.credit
	if err := config.Budget.Charge(charged); err != nil {
		return nil, err
	}
	config.Budget.Release(fresh.held + fresh.credit)
	return f, nil
}
