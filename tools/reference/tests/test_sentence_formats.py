"""How sentences print numbers for people."""

import unittest

from labeler.sentence_formats import fixed, print_number


def printed(form, *values, name="x"):
    return [print_number(form, name, value) for value in values]


class Formats(unittest.TestCase):
    def test_fixed_rounds_the_exact_decimal_value_and_names_what_is_too_small(self):
        self.assertEqual([fixed(x, 2) for x in (0, 0.125, 0.375, 2.675, -1.5)],
                         ["0.00", "0.12", "0.38", "2.67", "-1.50"])
        self.assertEqual([fixed(0.004, 2), fixed(-0.004, 2), fixed(0.4, 0)], ["under 0.01", "under 0.01", "under 1"])

    def test_basis_points_have_fewer_decimals_the_larger_they_are(self):
        self.assertEqual(printed("bps", 0, 123.4, 99.96, -12.34, 0.123, 0.0123, 0.00123, 0.000123, 0.0000123),
                         ["0 bps", "123 bps", "100.0 bps", "-12.3 bps", "0.12 bps", "0.012 bps", "0.0012 bps",
                          "0.00012 bps", "0.000012 bps"])

    def test_numbers_held_against_each_other_differ_in_print_if_they_differ(self):
        self.assertEqual(print_number("score", "x", 0.2496, 0.25), "0.2496")
        self.assertEqual(print_number("score", "x", 0.25, 0.2496), "0.2500")
        self.assertEqual(print_number("score", "x", 0.25, 0.25), "0.25")
        self.assertEqual(print_number("score", "x", 0.25, None), "0.25")
        self.assertEqual(print_number("score", "x", 0.1234561, 0.1234562), "0.123456")
        self.assertEqual(print_number("bps", "x", 100.2, 100.4), "100.2 bps")
        self.assertEqual(print_number("bps", "x", 12.0, 0.5), "12.00 bps")

    def test_shares_are_whole_per_cent_but_for_almost_none_and_almost_all(self):
        self.assertEqual(printed("share", 0, 0.004, 0.005, 0.345, 0.996, 1),
                         ["0 %", "under 1 %", "1 %", "34 %", "over 99 %", "100 %"])
        self.assertEqual(printed("percent", 0.00034, 0.12, -2), ["0.034 %", "12.0 %", "-200 %"])

    def test_dollars_have_a_unit(self):
        self.assertEqual(printed("usd", 0, 0.4, 999, 18000, 1234567, 2.5e9),
                         ["0 USD", "under 1 USD", "999 USD", "18.0 thousand USD", "1.2 million USD",
                          "2.5 billion USD"])

    def test_a_span_has_the_unit_of_its_name_and_prints_two_units_at_most(self):
        self.assertEqual(printed("span", 0, 999, 1500, 2500, 59600, 220000, 3600000, name="age_ms"),
                         ["under 1 s", "under 1 s", "2 s", "2 s", "1 min", "3 min 40 s", "1 h"])
        self.assertEqual(printed("span", 125, 2879, 3180, name="session_minutes"),
                         ["2 h 5 min", "47 h 59 min", "2 d 5 h"])
        self.assertEqual(printed("span", 0.097222, 48, name="history_hours"), ["5 min 50 s", "2 d"])
        self.assertEqual(printed("span", 30, name="persistence_seconds"), ["30 s"])


if __name__ == "__main__":
    unittest.main()
