package protocol

func (r *reader) judge(p Protocol) {}
