"""Conditions, sentences and tags."""

import unittest

from labeler.policy import FILES, Policy, PolicyFault


def policy():
    files = {name: {} for name in FILES}
    files["facts"] = {"facts": [{"name": "word", "taxonomy": "kinds"}, {"name": "words", "taxonomy": "kinds"},
                                {"name": "number"}, {"name": "nothing"}, {"name": "none"}]}
    files["taxonomy"] = {"kinds": [{"value": value, "label": value.upper()} for value in "abc"]}
    files["tags"] = {"not_counted": ["quality"]}
    return Policy(files)


FACTS = {"word": "a", "words": ["a", "b", "c"], "number": 1.5e-7, "nothing": None, "none": []}


class Rules(unittest.TestCase):
    def setUp(self):
        self.policy = policy()

    def holds(self, **condition):
        return self.policy.holds(condition, FACTS)

    def test_a_comparison_with_null_does_not_hold(self):
        self.assertFalse(self.holds(fact="nothing", ne="a"))
        self.assertFalse(self.holds(fact="word", ne={"fact": "nothing"}))
        self.assertTrue(self.holds(**{"not": {"fact": "nothing", "eq": "a"}}))

    def test_absent_holds_of_null_and_of_an_empty_list(self):
        self.assertTrue(self.holds(fact="nothing", absent=True))
        self.assertTrue(self.holds(fact="none", absent=True))
        self.assertTrue(self.holds(fact="word", present=True))

    def test_operators(self):
        self.assertTrue(self.holds(fact="word", **{"in": ["a", "x"]}))
        self.assertTrue(self.holds(fact="words", has="b"))
        self.assertTrue(self.holds(fact="none", lacks="b"))
        self.assertTrue(self.holds(all=[{"fact": "number", "gt": 0}, {"fact": "number", "lt": 1}]))
        self.assertFalse(self.holds(any=[]))

    def test_sentences(self):
        self.assertEqual(self.policy.sentence("{word}, {word|label}, {words|list}: {number}.", FACTS),
                         "a, A, A, B and C: 1.5e-7.")
        self.assertEqual(self.policy.sentence("{high|score} over {low|score:high}, {low|share}.",
                                              {"high": 0.5, "low": 0.4999}), "0.50 over 0.4999, 50 %.")
        self.assertEqual(self.policy.sentence("{words|list}", {**FACTS, "words": ["b"]}), "B")
        self.assertIsNone(self.policy.sentence("{nothing}", FACTS))
        self.assertIsNone(self.policy.sentence("{none|list}", FACTS))

    def test_a_word_that_the_taxonomy_lacks_is_refused(self):
        self.assertRaises(PolicyFault, self.policy.sentence, "{word|label}", {"word": "z"})

    def test_tags(self):
        always, never = {"always": True}, {"fact": "nothing", "present": True}
        groups = [{"family": "f", "horizon": "hot", "value_of": "word"}, {"family": "f", "value_of": "nothing"},
                  {"family": "quality", "pick": "every",
                   "values": [{"value": "x", "when": always}, {"value": "y", "when": always}]},
                  {"family": "g", "pick": "first", "horizon": "short",
                   "values": [{"value": "x", "when": never}, {"value": "y", "when": always}]}]
        tags = self.policy.tags(groups, FACTS)
        self.assertEqual(tags, ["f:a:hot", "quality:x", "quality:y", "g:y:short"])
        self.assertEqual(self.policy.counted(tags), ["f:a:hot", "g:y:short"])


if __name__ == "__main__":
    unittest.main()
