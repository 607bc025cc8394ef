// A server whose latency is known: it draws how long each answer takes from a fixed mix and logs how long it took.
//
//	GET /mix   answers after 94 % lognormal around 2 ms, 5.5 % around 8 ms, 0.5 % around 40 ms
//	GET /slow  answers after eight times that
//	GET /now   answers at once
//
// One thread watches sockets and the clock without ever sleeping, so that no wake-up comes between a request and its
// time stamp. What it did goes to standard error once 100 ms have passed without a request:
//
//	served <unix ms of the first request> <of the last answer> <answers> <answers within 1 ms after a stall> <ms stalled>
//	µs:answers …
//
// with exact counts by microsecond, from the end of read(2) with the request to the end of write(2) with the answer.
// A stall is a millisecond in which something else had its CPU: requests that came then were read late.
package main

import (
	"bytes"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	idle       = 100 * time.Millisecond
	stall      = time.Millisecond
	maxLatency = 1_000_000 // µs
	lineBytes  = 12_000  // the engine's log cuts at 16 KiB
)

// The percentiles 50, 90 and 99 (2.0, 3.7 and 10.5 ms) lie within a part of the mix, not on the cliff between two.
var mix = []struct{ share, medianMs, sigma float64 }{{0.94, 2, 0.35}, {0.055, 8, 0.2}, {0.005, 40, 0.05}}

type answer struct {
	due, read time.Duration
	fd        int
	end       bool // the client asked to close
}

var (
	start   = time.Now()
	random  = rand.New(rand.NewPCG(1, 2))
	pending []answer // a heap: what is due first is first
	partial = map[int][]byte{}
	body    = strings.Repeat("The quick brown fox jumps over the lazy dog.\n", 5)
	page    = respond("text/plain", body)
	facts   = respond("application/json", `{"php":"8.4.0","sapi":"none","server":"latency","opcache":{"enabled":true}}`)
	record  tally
)

func respond(kind, body string) []byte {
	return fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s", kind, len(body), body)
}

func main() {
	port, err := strconv.Atoi(os.Getenv("PORT"))
	check(err)
	debug.SetGCPercent(-1)
	runtime.LockOSThread()
	listener, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM|syscall.SOCK_NONBLOCK, 0)
	check(err)
	check(syscall.SetsockoptInt(listener, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1))
	check(syscall.Bind(listener, &syscall.SockaddrInet4{Port: port}))
	check(syscall.Listen(listener, 4096))
	epoll, err := syscall.EpollCreate1(0)
	check(err)
	watch(epoll, listener)
	serve(epoll, listener)
}

func serve(epoll, listener int) {
	events := make([]syscall.EpollEvent, 256)
	buffer := make([]byte, 8192)
	last := time.Since(start)
	for {
		n, err := syscall.EpollWait(epoll, events, 0)
		if err != nil && err != syscall.EINTR {
			log.Fatal(err)
		}
		now := time.Since(start)
		if now-last > stall {
			record.stalled(last, now)
		}
		last = now
		for i := range max(n, 0) {
			if fd := int(events[i].Fd); fd == listener {
				accept(epoll, listener)
			} else {
				receive(fd, buffer)
			}
		}
		for len(pending) > 0 && pending[0].due <= time.Since(start) {
			reply(pop(), page)
		}
		if record.answers > 0 && len(pending) == 0 && now-record.last > idle {
			record.print()
			last = time.Since(start)
		}
	}
}

func accept(epoll, listener int) {
	for {
		fd, _, err := syscall.Accept4(listener, syscall.SOCK_NONBLOCK)
		if err != nil {
			return
		}
		check(syscall.SetsockoptInt(fd, syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1))
		watch(epoll, fd)
	}
}

func watch(epoll, fd int) {
	check(syscall.EpollCtl(epoll, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)}))
}

// receive takes a GET without a body. A client sends the next one only when this one is answered.
func receive(fd int, buffer []byte) {
	n, err := syscall.Read(fd, buffer)
	if err == syscall.EAGAIN {
		return
	}
	if n <= 0 {
		drop(fd)
		return
	}
	read := time.Since(start)
	request := buffer[:n]
	if before, found := partial[fd]; found {
		request = append(before, request...)
	}
	if !bytes.HasSuffix(request, []byte("\r\n\r\n")) {
		partial[fd] = bytes.Clone(request)
		return
	}
	delete(partial, fd)
	one := answer{due: read, read: read, fd: fd, end: bytes.Contains(request, []byte("\r\nConnection: close\r\n"))}
	switch {
	case bytes.HasPrefix(request, []byte("GET /.php-runtime-bench/facts ")):
		one.read = -1
		reply(one, facts)
	case bytes.HasPrefix(request, []byte("GET /mix ")):
		one.due += draw()
		push(one)
	case bytes.HasPrefix(request, []byte("GET /slow ")):
		one.due += 8 * draw()
		push(one)
	default:
		reply(one, page)
	}
}

func reply(one answer, bytes []byte) {
	n, err := syscall.Write(one.fd, bytes)
	if one.read >= 0 && n == len(bytes) {
		record.add(one.read, time.Since(start))
	}
	if err != nil || one.end {
		drop(one.fd)
	}
}

// drop forgets what was still to be answered: the number of the socket may soon be another's.
func drop(fd int) {
	delete(partial, fd)
	for i := 0; i < len(pending); i++ {
		if pending[i].fd == fd {
			pending[i].fd = -1
		}
	}
	syscall.Close(fd)
}

func draw() time.Duration {
	at := random.Float64()
	for _, part := range mix {
		if at -= part.share; at < 0 {
			return time.Duration(part.medianMs * math.Exp(part.sigma*random.NormFloat64()) * 1e6)
		}
	}
	return 0
}

func push(one answer) {
	pending = append(pending, one)
	for i := len(pending) - 1; i > 0 && pending[i].due < pending[(i-1)/2].due; i = (i - 1) / 2 {
		pending[i], pending[(i-1)/2] = pending[(i-1)/2], pending[i]
	}
}

func pop() answer {
	first, end := pending[0], len(pending)-1
	pending[0] = pending[end]
	pending = pending[:end]
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < end; child++ {
			if pending[child].due < pending[least].due {
				least = child
			}
		}
		if least == i {
			return first
		}
		pending[i], pending[least] = pending[least], pending[i]
		i = least
	}
}

// tally is the log of a stretch of load.
type tally struct {
	counts      [maxLatency]uint32
	answers     int
	first, last time.Duration
	late        int
	stalls      time.Duration
	stallEnd    time.Duration
}

func (t *tally) add(read, written time.Duration) {
	if t.answers == 0 {
		t.first = read
	}
	t.answers++
	t.last = written
	if t.stallEnd > 0 && read-t.stallEnd < stall {
		t.late++
	}
	t.counts[min(int((written-read)/time.Microsecond), maxLatency-1)]++
}

func (t *tally) stalled(from, to time.Duration) {
	if t.answers > 0 {
		t.stalls += to - from
		t.stallEnd = to
	}
}

func (t *tally) print() {
	unix := func(at time.Duration) int64 { return start.Add(at).UnixMilli() }
	line := fmt.Appendf(nil, "served %d %d %d %d %d\n", unix(t.first), unix(t.last), t.answers, t.late, t.stalls.Milliseconds())
	os.Stderr.Write(line)
	line = line[:0]
	for us, n := range t.counts {
		if n > 0 {
			line = fmt.Appendf(line, "%d:%d ", us, n)
		}
		if len(line) > lineBytes || (us == maxLatency-1 && len(line) > 0) {
			line[len(line)-1] = '\n'
			os.Stderr.Write(line)
			line = line[:0]
		}
	}
	*t = tally{}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
