"""Rounding, quantiles and printed numbers, on worked examples."""

import unittest

from labeler.canonical_json import canonical_json
from labeler.numbers import clamp, nearest_rank, number_text, r6, r12, rounded, trailing_mean


class Rounding(unittest.TestCase):
    def test_half_to_even_is_decided_on_the_exact_expansion_of_the_double(self):
        self.assertEqual(r6(5e-7), 0)  # 5e-7 is stored as 4.99999999999999977e-7
        self.assertEqual(r6(2.5e-6), 3e-6)  # stored as 2.50000000000000020e-6
        self.assertEqual(r6(3.5e-6), 3e-6)  # stored as 3.49999999999999995e-6
        self.assertEqual(r6(2 ** -7), 0.007812)  # 0.0078125 is exact: a tie, to the even 2
        self.assertEqual(r6(3 * 2 ** -7), 0.023438)  # 0.0234375 is exact: a tie, to the even 8
        self.assertEqual(rounded(86.5, 0), 86)
        self.assertEqual(rounded(87.5, 0), 88)

    def test_minus_zero_becomes_zero(self):
        self.assertEqual(str(r6(-1e-9)), "0.0")
        self.assertEqual(str(r12(-0.0)), "0.0")

    def test_large_numbers_keep_all_their_digits(self):
        self.assertEqual(r6(123456789012345680.0), 123456789012345680.0)


class Statistics(unittest.TestCase):
    def test_nearest_rank(self):
        self.assertEqual(nearest_rank([4, 1, 3, 2], 0.5), 2)
        self.assertEqual(nearest_rank([4, 1, 3, 2], 0.95), 4)
        self.assertEqual(nearest_rank([7], 0.0), 7)

    def test_a_trailing_mean_over_none_is_the_current_value(self):
        self.assertEqual(trailing_mean([], 0.25), 0.25)
        self.assertEqual(trailing_mean([1, 0, 0], 9), 0.333333)

    def test_clamp(self):
        self.assertEqual([clamp(x, 0, 1) for x in (-1, 0.5, 2)], [0, 0.5, 1])


class Printing(unittest.TestCase):
    def test_numbers_print_as_ecmascript_prints_them(self):
        printed = {0.0: "0", -0.0: "0", 1.0: "1", -2.5: "-2.5", 0.1: "0.1", 100000000.0: "100000000",
                   0.000001: "0.000001", 1.2e-8: "1.2e-8", 5e-7: "5e-7", 1e21: "1e+21", 1e20: "100000000000000000000",
                   7.6293945e-05: "0.000076293945", 123456.789: "123456.789", 1.5e300: "1.5e+300"}
        for value, text in printed.items():
            self.assertEqual(number_text(value), text)

    def test_what_is_not_finite_has_no_form(self):
        for value in (float("nan"), float("inf")):
            self.assertRaises(ValueError, number_text, value)

    def test_canonical_json(self):
        value = {"b": [1.0, None, True, "a\"\\\n\u0001/ü€"], "a": {}, "\U0001f600": 1, "\ufb33": 2}
        self.assertEqual(canonical_json(value),
                         '{"a":{},"b":[1,null,true,"a\\"\\\\\\n\\u0001/ü€"],"\U0001f600":1,"\ufb33":2}')


if __name__ == "__main__":
    unittest.main()
