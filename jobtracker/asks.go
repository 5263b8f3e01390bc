package jobtracker

// Asks reports whether a heartbeat of a tracker might assign work to the tracker or end its drain.
// Any other heartbeat without news only updates the time of the tracker's latest heartbeat. A
// simulation can omit most of these heartbeats, if it sends enough of them to keep the tracker from
// expiring.
func (m *Machine) Asks(tracker int32) bool {
	t := m.trackers.Get(tracker)
	return t != nil && (m.hasChance(t) || m.maySpeculate(t) || t.draining && t.drained == 0)
}
