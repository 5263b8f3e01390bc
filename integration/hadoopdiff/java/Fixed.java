import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.RoundingMode;

/** Decimals with nine places, stored as billionths. */
final class Fixed {
  static final long ONE = 1_000_000_000L;

  static long parse(String s) {
    return new BigDecimal(s).setScale(9, RoundingMode.HALF_UP).unscaledValue().longValueExact();
  }

  static String text(long n) {
    BigDecimal d = BigDecimal.valueOf(n, 9);
    return n == 0 ? "0" : d.stripTrailingZeros().toPlainString();
  }

  static double real(long n) {
    return (double) n / ONE;
  }

  static long mean(BigInteger sum, long count) {
    return new BigDecimal(sum).divide(BigDecimal.valueOf(count), 0, RoundingMode.HALF_UP).longValueExact();
  }
}
