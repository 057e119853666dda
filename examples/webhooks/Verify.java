import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.time.Instant;
import java.util.Base64;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/** Verifies a webhook request (Standard Webhooks 1.0). Java 11 or newer, no dependencies beyond the JDK. */
public final class Verify {
  private static final long TOLERANCE_SECONDS = 300;

  /**
   * Throws unless the request is recent and signed with the shared secret.
   *
   * @param body the raw bytes, before any parsing
   */
  public static void verify(String secret, String id, String timestamp, String signatures, byte[] body)
      throws GeneralSecurityException {
    if (isEmpty(id) || isEmpty(timestamp) || isEmpty(signatures)) throw refused("a header is missing");
    if (!timestamp.matches("[0-9]{1,12}")) throw refused("the timestamp is not a number");
    long age = Instant.now().getEpochSecond() - Long.parseLong(timestamp);
    if (Math.abs(age) > TOLERANCE_SECONDS) throw refused("the timestamp is too far off");

    byte[] key = Base64.getDecoder().decode(secret.startsWith("whsec_") ? secret.substring(6) : secret);
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(key, "HmacSHA256"));
    mac.update((id + "." + timestamp + ".").getBytes(StandardCharsets.UTF_8));
    byte[] expected = ("v1," + Base64.getEncoder().encodeToString(mac.doFinal(body))).getBytes(StandardCharsets.UTF_8);
    // There is one signature for each valid secret; one match is enough. Unknown versions are ignored.
    for (String given : signatures.split(" ")) {
      // MessageDigest.isEqual takes constant time.
      if (MessageDigest.isEqual(given.getBytes(StandardCharsets.UTF_8), expected)) return;
    }
    throw refused("no signature matches");
  }

  private static boolean isEmpty(String header) {
    return header == null || header.isEmpty();
  }

  private static GeneralSecurityException refused(String reason) {
    return new GeneralSecurityException(reason);
  }

  // java Verify.java <secret> <webhook-id> <webhook-timestamp> <webhook-signature> < body
  public static void main(String[] args) throws Exception {
    try {
      verify(args[0], args[1], args[2], args[3], System.in.readAllBytes());
    } catch (GeneralSecurityException error) {
      System.err.println(error.getMessage());
      System.exit(1);
    }
  }
}
