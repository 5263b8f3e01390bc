package jobtracker

// Asks tells whether a beat of a tracker would ask the policy or the speculator for work, as things are, or might end its drain. A beat that does not,
// and brings no news, changes nothing but the time at which the tracker was last heard: a driver with a clock of its own may
// leave it out, as long as it sends one often enough for the tracker not to be given up.
func (m *Machine) Asks(tracker int32) bool {
	t := m.trackers[tracker]
	return t != nil && (m.hasChance(t) || m.maySpeculate(t) || t.draining && t.drained == 0)
}
