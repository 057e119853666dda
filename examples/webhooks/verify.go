// Verifies a webhook request (Standard Webhooks 1.0). Go 1.16 or newer, standard library only.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

const tolerance = 5 * time.Minute

// Verify returns an error unless the request is recent and signed with the shared secret. The body is the raw
// bytes, before any parsing.
func Verify(secret string, headers http.Header, body []byte) error {
	id := headers.Get("webhook-id")
	timestamp := headers.Get("webhook-timestamp")
	signatures := headers.Get("webhook-signature")
	if id == "" || timestamp == "" || signatures == "" {
		return errors.New("a header is missing")
	}
	seconds, err := strconv.ParseUint(timestamp, 10, 40)
	if err != nil {
		return errors.New("the timestamp is not a number")
	}
	age := time.Since(time.Unix(int64(seconds), 0))
	if age > tolerance || age < -tolerance {
		return errors.New("the timestamp is too far off")
	}
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil || len(key) == 0 {
		return errors.New("the secret is not a valid key")
	}
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id + "." + timestamp + "."))
	mac.Write(body)
	expected := mac.Sum(nil)
	// There is one signature for each valid secret; one match is enough. Unknown versions are ignored.
	for _, signature := range strings.Split(signatures, " ") {
		if !strings.HasPrefix(signature, "v1,") {
			continue
		}
		given, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(signature, "v1,"))
		if err == nil && hmac.Equal(given, expected) {
			return nil
		}
	}
	return errors.New("no signature matches")
}

// go run verify.go <secret> <webhook-id> <webhook-timestamp> <webhook-signature> < body
func main() {
	headers := http.Header{}
	headers.Set("webhook-id", os.Args[2])
	headers.Set("webhook-timestamp", os.Args[3])
	headers.Set("webhook-signature", os.Args[4])
	body, err := io.ReadAll(os.Stdin)
	if err == nil {
		err = Verify(os.Args[1], headers, body)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
