#!/usr/bin/env python3
"""Bugs that users of other engines reported, as small inputs with the right answers. usage: cases_test.py BINARY

Each test names the report it comes from. Where a score is expected it was computed by hand from the similarity's formula.
"""
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
from server_process import Server  # noqa: E402

BINARY = sys.argv.pop(1)
VENDORED = "application/vnd.elasticsearch+json; compatible-with={}"


class CasesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls): cls.server = Server(BINARY).start()

    @classmethod
    def tearDownClass(cls): cls.server.__exit__()

    def ok(self, method, path, body=None, headers=None):
        status, answer, _ = self.server.request(method, path, body, headers)
        self.assertLess(status, 300, f"{method} {path}: {answer}")
        return answer

    def create(self, name, properties, **more):
        self.server.request("DELETE", f"/{name}?ignore_unavailable=true")
        self.ok("PUT", f"/{name}", {"mappings": {"properties": properties}, **more})

    def hits(self, name, body): return [(h["_id"], round(h["_score"], 6)) for h in self.ok("POST", f"/{name}/_search", body)["hits"]["hits"]]

    def index(self, name, documents):
        for key, document in documents.items(): self.ok("PUT", f"/{name}/_doc/{key}", document)
        self.ok("POST", f"/{name}/_refresh")

    def test_a_filtered_alias_is_a_prefilter_of_knn(self):
        """elastic/elasticsearch#89561"""
        self.create("alias-knn", {"v": {"type": "dense_vector", "dims": 4, "similarity": "l2_norm"}, "k": {"type": "keyword"}})
        self.index("alias-knn", {"1": {"v": [230, 300.33, -34.8988, 15.555], "k": "v1"}, "2": {"v": [.5, .5, .5, -1], "k": "v1"},
                                 "3": {"v": [.5, .5, .5, .5], "k": "v2"}, "4": {"v": [.5, .5, .5, 0], "k": "v2"}})
        self.ok("POST", "/_aliases", {"actions": [{"add": {"index": "alias-knn", "alias": "only-v1", "filter": {"term": {"k": "v1"}}}}]})
        search = {"knn": {"field": "v", "query_vector": [.5, .5, .5, .5], "k": 2, "num_candidates": 2}}
        self.assertEqual(self.hits("alias-knn", search), [("3", 1.0), ("4", 0.8)])
        through = self.hits("only-v1", search)
        self.assertEqual([i for i, _ in through], ["2", "1"])
        self.assertAlmostEqual(through[0][1], 0.307692, places=6)
        self.assertAlmostEqual(through[1][1], 7e-06, places=6)

    def test_zero_vectors_are_refused_under_cosine(self):
        """elastic/elasticsearch#81167"""
        self.create("zero", {"v": {"type": "dense_vector", "dims": 3, "similarity": "cosine"}})
        self.index("zero", {"1": {"v": [3, 0, 6]}, "2": {"v": [0, 1, 0]}})
        status, answer, _ = self.server.request("PUT", "/zero/_doc/3", {"v": [0, 0, 0]})
        self.assertEqual(status, 400)
        self.assertIn("zero magnitude", str(answer))
        self.assertEqual(self.server.request("GET", "/zero/_doc/3")[0], 404)
        status, answer, _ = self.server.request("POST", "/zero/_search", {"knn": {"field": "v", "query_vector": [0, 0, 0], "k": 2, "num_candidates": 2}})
        self.assertEqual(status, 400)
        self.assertIn("zero magnitude", str(answer))
        self.assertEqual(self.hits("zero", {"knn": {"field": "v", "query_vector": [1, 0, 0], "k": 2, "num_candidates": 2}}), [("1", 0.723607), ("2", 0.5)])

    def test_thresholds_on_inner_products_keep_the_right_side(self):
        """opensearch-project/k-NN#2982"""
        self.create("mip", {"v": {"type": "dense_vector", "dims": 2, "similarity": "max_inner_product"}})
        self.index("mip", {str(i): {"v": v} for i, v in enumerate([[1, 0], [.8, .1], [.5, .5], [0, 1], [-.5, 0]])})
        knn = {"field": "v", "query_vector": [1, 0], "k": 5, "num_candidates": 5}
        every = [("0", 2.0), ("1", 1.8), ("2", 1.5), ("3", 1.0), ("4", 0.666667)]
        self.assertEqual(self.hits("mip", {"knn": knn}), every)
        self.assertEqual(self.hits("mip", {"knn": knn, "min_score": 1.4}), every[:3])
        self.assertEqual(self.hits("mip", {"knn": {**knn, "similarity": 0.4}}), every[:3])

    def test_a_score_does_not_depend_on_the_filter_or_the_index_type(self):
        """opensearch-project/k-NN#1525 and #1396"""
        for kind in ("flat", "hnsw", "int8_hnsw"):
            name = f"path-{kind.replace('_', '-')}"
            self.create(name, {"v": {"type": "dense_vector", "dims": 2, "similarity": "max_inner_product", "index_options": {"type": kind}}, "t": {"type": "keyword"}})
            self.index(name, {"a": {"v": [1, 0], "t": "x"}, "b": {"v": [-1, 0], "t": "y"}})
            knn = {"field": "v", "query_vector": [1, 0], "k": 2, "num_candidates": 2}
            self.assertEqual(self.hits(name, {"knn": knn}), [("a", 2.0), ("b", 0.5)], kind)
            self.assertEqual(self.hits(name, {"knn": {**knn, "filter": {"match_all": {}}}}), [("a", 2.0), ("b", 0.5)], kind)
            self.assertEqual(self.hits(name, {"knn": {**knn, "filter": {"term": {"t": "x"}}}}), [("a", 2.0)], kind)
            self.assertEqual(self.hits(name, {"query": {"knn": knn}}), [("a", 2.0), ("b", 0.5)], kind)

    def test_malformed_bulk_lines_are_refused_whole(self):
        """elastic/elasticsearch#43774"""
        nd = {"content-type": "application/x-ndjson"}
        bad = {'{"index":{"_id":"1"},"abc":true}\n{"a":1}\n': "Malformed action/metadata line [1], expected END_OBJECT but found [FIELD_NAME]",
               '{"abc":true,"index":{"_id":"1"}}\n{"a":1}\n': "Malformed action/metadata line [1]", '{"upsert":{"_id":"1"}}\n{"a":1}\n': "upsert", '{"index":{"_id":"1"}}\n{"a":1}': "terminated by a newline"}
        for body, message in bad.items():
            status, answer, _ = self.server.request("POST", "/bulk-lines/_bulk", body, nd)
            self.assertEqual(status, 400, body)
            self.assertIn(message, str(answer), body)
        self.assertEqual(self.server.request("HEAD", "/bulk-lines")[0], 404, "nothing was indexed")
        old = {"content-type": "application/vnd.elasticsearch+x-ndjson; compatible-with=8", "accept": VENDORED.format(8)}
        status, answer, headers = self.server.request("POST", "/bulk-lines/_bulk", '{"index":{"_id":"1"},"abc":true}\n{"a":1}\n', old)
        self.assertEqual((status, answer["errors"]), (200, False), answer)
        self.assertIn("299 Elasticsearch-", headers["Warning"])

    def test_version_seven_clients_see_types(self):
        """elastic/elasticsearch#84173"""
        seven = {"content-type": "application/vnd.elasticsearch+x-ndjson; compatible-with=7", "accept": VENDORED.format(7)}
        status, answer, headers = self.server.request("POST", "/seven/_bulk?refresh=true", '{"index":{"_id":"1"}}\n{"a":1}\n{"delete":{"_id":"2"}}\n', seven)
        self.assertEqual(status, 200)
        self.assertTrue(all(result["_type"] == "_doc" for item in answer["items"] for result in item.values()), answer)
        self.assertIn("compatible-with=7", headers["Content-Type"])
        hit = self.ok("GET", "/seven/_search", headers={"accept": VENDORED.format(7)})["hits"]["hits"][0]
        self.assertEqual(hit["_type"], "_doc")
        self.assertNotIn("_type", self.ok("GET", "/seven/_search")["hits"]["hits"][0])

    def test_every_mix_of_media_types_is_answered_in_kind(self):
        """elastic/elasticsearch-py#2923 and #3049, elasticsearch-js#2909, elasticsearch-ruby#2665"""
        for version in (7, 8, 9):
            for content in (VENDORED.format(version), "application/json"):
                status, _, headers = self.server.request("POST", "/_search", {}, {"accept": VENDORED.format(version), "content-type": content})
                self.assertEqual(status, 200)
                self.assertEqual(headers["Content-Type"].replace(" ", ""), VENDORED.format(version).replace(" ", ""))
                self.assertEqual(headers["X-Elastic-Product"], "Elasticsearch")
        status, _, headers = self.server.request("POST", "/_search", {}, {"accept": "application/json", "content-type": VENDORED.format(9)})
        self.assertEqual((status, headers["Content-Type"].split(";")[0]), (200, "application/json"))

    def test_filters_on_subfields_match_what_the_mapping_says(self):
        """run-llama/llama_index#16990, agno-agi/agno#10018"""
        count = lambda name, query: self.ok("POST", f"/{name}/_count", {"query": query})["count"]
        self.server.request("DELETE", "/meta")
        self.index("meta", {"1": {"metadata": {"author": "x", "published_on": "2024-01-15"}}})
        self.create("meta-explicit", {"metadata": {"properties": {"author": {"type": "keyword"}}}})
        self.index("meta-explicit", {"1": {"metadata": {"author": "x"}}})
        self.assertEqual(count("meta", {"term": {"metadata.author.keyword": "x"}}), 1)
        self.assertEqual(count("meta-explicit", {"term": {"metadata.author.keyword": "x"}}), 0)
        self.assertEqual(count("meta", {"term": {"metadata.published_on.keyword": "2024-01-15"}}), 0)
        self.assertEqual(count("meta", {"term": {"metadata.published_on": "2024-01-15"}}), 1)
        self.assertEqual(count("meta", {"range": {"metadata.published_on": {"gte": "2024-01-01", "lt": "2024-02-01"}}}), 1)

    def test_codecs_change_no_byte_of_a_source(self):
        """elastic/elasticsearch#119662"""
        document = '{"b": 1.50,  "text":"äö\\u00fc",\n"list":[1.5,2.0,null], "object":{"x":null}, "big":12345678901234567890}'
        for codec in ("default", "best_compression", "legacy_default", "legacy_best_compression"):
            name = f"codec-{codec.replace('_', '-')}"
            self.create(name, {"big": {"type": "double"}}, settings={"index.codec": codec})
            self.ok("PUT", f"/{name}/_doc/1?refresh=true", document)
            self.ok("POST", f"/{name}/_forcemerge?max_num_segments=1")
            raw = __import__("urllib.request").request.urlopen(f"{self.server.url}/{name}/_source/1").read().decode()
            self.assertEqual(raw, document)
        status, answer, _ = self.server.request("PUT", "/codec-none", {"settings": {"index.codec": "nosuch"}})
        self.assertEqual(status, 400)


if __name__ == "__main__":
    runner = unittest.main(exit=False)
    bad = len(runner.result.failures) + len(runner.result.errors)
    print(f"{runner.result.testsRun - bad} passed, {bad} failed")
    sys.exit(1 if bad or not runner.result.testsRun else 0)
