// Copyright (c) 2026 the trustops.strimzi contributors
// GNU General Public License v3.0+ (see LICENSE or https://www.gnu.org/licenses/gpl-3.0.txt)
// SPDX-License-Identifier: GPL-3.0-or-later

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.text.ParseException;
import java.util.Date;
import java.util.TimeZone;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.quartz.CronExpression;

/** Each line of the input is a cron expression and times in seconds, behind tabs. The answer says of each time whether it satisfies the expression. */
class Windows {
    public static void main(String[] arguments) throws IOException {
        BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
        for (String line = input.readLine(); line != null; line = input.readLine()) {
            System.out.println(answer(line.split("\t")));
        }
    }

    private static String answer(String[] fields) {
        try {
            CronExpression expression = new CronExpression(fields[0]);
            expression.setTimeZone(TimeZone.getTimeZone("GMT"));
            return Stream.of(fields)
                    .skip(1)
                    .map(time -> expression.isSatisfiedBy(new Date(1000 * Long.parseLong(time))) ? "1" : "0")
                    .collect(Collectors.joining());
        } catch (ParseException refused) {
            return "refused";
        }
    }
}
