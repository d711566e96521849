import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.InputStreamReader;
import java.security.KeyStore;
import java.security.cert.CertificateFactory;
import java.security.cert.PKIXBuilderParameters;
import java.security.cert.X509CertSelector;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import javax.net.ssl.CertPathTrustManagerParameters;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

/**
 * Answers for each line whether the trust manager of a JVM accepts a certificate: "server" or "client", which is whose
 * it is, seconds since 1970, the leaf, what was sent behind it, and what is trusted, each certificate as base64 of its
 * DER, several joined by commas, "-" for none.
 */
public final class Paths {
    public static void main(String[] arguments) throws Exception {
        var lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            System.out.println(answer(line.split(" ")));
        }
    }

    private static String answer(String[] fields) {
        try {
            verify(fields[0], new Date(Long.parseLong(fields[1]) * 1000), fields[2], fields[3], fields[4]);
            return "accepted";
        } catch (Exception refused) {
            return "refused: " + refused.toString().replace('\n', ' ');
        }
    }

    private static void verify(String whose, Date at, String leaf, String sent, String trusted) throws Exception {
        List<X509Certificate> chain = parse(leaf);
        chain.addAll(parse(sent));
        var presented = chain.toArray(new X509Certificate[0]);
        var manager = manager(at, parse(trusted));
        switch (whose) {
            case "server" -> manager.checkServerTrusted(presented, "UNKNOWN");
            case "client" -> manager.checkClientTrusted(presented, "UNKNOWN");
            default -> throw new IllegalArgumentException(whose + " is neither server nor client");
        }
    }

    private static X509TrustManager manager(Date at, List<X509Certificate> trusted) throws Exception {
        var store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        for (X509Certificate one : trusted) {
            store.setCertificateEntry("ca-" + store.size(), one);
        }
        var parameters = new PKIXBuilderParameters(store, new X509CertSelector());
        parameters.setDate(at);
        parameters.setRevocationEnabled(false);
        var factory = TrustManagerFactory.getInstance("PKIX");
        factory.init(new CertPathTrustManagerParameters(parameters));
        return (X509TrustManager) factory.getTrustManagers()[0];
    }

    private static List<X509Certificate> parse(String joined) throws Exception {
        List<X509Certificate> found = new ArrayList<>();
        if (!joined.equals("-")) {
            var factory = CertificateFactory.getInstance("X.509");
            for (String one : joined.split(",")) {
                var der = new ByteArrayInputStream(Base64.getDecoder().decode(one));
                found.add((X509Certificate) factory.generateCertificate(der));
            }
        }
        return found;
    }
}
