<?php
// Verifies a webhook request (Standard Webhooks 1.0). PHP 8 or newer, no extensions beyond the default ones.
declare(strict_types=1);

const TOLERANCE_SECONDS = 300;

/**
 * Throws unless the request is recent and signed with the shared secret.
 *
 * @param array<string, string> $headers with lower-case names
 * @param string $body the raw bytes (file_get_contents('php://input')), before any parsing
 */
function verify(string $secret, array $headers, string $body): void
{
    $id = $headers['webhook-id'] ?? '';
    $timestamp = $headers['webhook-timestamp'] ?? '';
    $signatures = $headers['webhook-signature'] ?? '';
    if ($id === '' || $timestamp === '' || $signatures === '') {
        throw new RuntimeException('a header is missing');
    }
    if (preg_match('/\A[0-9]{1,12}\z/', $timestamp) !== 1) {
        throw new RuntimeException('the timestamp is not a number');
    }
    if (abs(time() - (int) $timestamp) > TOLERANCE_SECONDS) {
        throw new RuntimeException('the timestamp is too far off');
    }
    $key = base64_decode(preg_replace('/\Awhsec_/', '', $secret), true);
    if ($key === false || $key === '') {
        throw new RuntimeException('the secret is not a valid key');
    }
    $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$timestamp.$body", $key, true));
    // There is one signature for each valid secret; one match is enough. Unknown versions are ignored.
    foreach (explode(' ', $signatures) as $given) {
        if (hash_equals($expected, $given)) {
            return;
        }
    }
    throw new RuntimeException('no signature matches');
}

// php verify.php <secret> <webhook-id> <webhook-timestamp> <webhook-signature> < body
if (PHP_SAPI === 'cli' && realpath($argv[0]) === __FILE__) {
    [, $secret, $id, $timestamp, $signature] = $argv;
    $headers = ['webhook-id' => $id, 'webhook-timestamp' => $timestamp, 'webhook-signature' => $signature];
    try {
        verify($secret, $headers, stream_get_contents(STDIN));
    } catch (RuntimeException $error) {
        fwrite(STDERR, $error->getMessage() . "\n");
        exit(1);
    }
}
