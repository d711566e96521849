// Copyright (c) 2026 the trustops.strimzi contributors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

import java.io.ByteArrayInputStream;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import java.util.Scanner;

/** Answers for each line, a text in base64, how many certificates a JVM finds in it; "refused" where it gives up. */
public class Pem {
    public static void main(String[] arguments) throws CertificateException {
        CertificateFactory factory = CertificateFactory.getInstance("X.509");
        Scanner lines = new Scanner(System.in);
        while (lines.hasNextLine()) {
            byte[] text = Base64.getDecoder().decode(lines.nextLine());
            try {
                System.out.println(factory.generateCertificates(new ByteArrayInputStream(text)).size());
            } catch (CertificateException refused) {
                System.out.println("refused");
            }
        }
    }
}
