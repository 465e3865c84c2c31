"""The unmodified PyPI client `elasticsearch` against a running server. usage: python_test.py URL"""
import math
import sys
import unittest

import elasticsearch
from elasticsearch import Elasticsearch, helpers

URL = sys.argv.pop(1)
INDEX = "py-client"


def documents():
    for i in range(250):
        yield {"id": i, "title": f"document number {i}", "tag": "odd" if i % 2 else "even", "when": f"2020-01-{i % 28 + 1:02}", "vector": [math.cos(i / 40), math.sin(i / 40), 0.5]}


class PythonClientTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client = Elasticsearch(URL)
        cls.client.options(ignore_status=404).indices.delete(index=INDEX)
        cls.client.indices.create(index=INDEX, mappings={"properties": {
            "id": {"type": "integer"}, "title": {"type": "text"}, "tag": {"type": "keyword"}, "when": {"type": "date"},
            "vector": {"type": "dense_vector", "dims": 3, "similarity": "cosine", "index_options": {"type": "flat"}}}})
        done, errors = helpers.bulk(cls.client, ({"_index": INDEX, "_id": str(d["id"]), **d} for d in documents()), chunk_size=40, refresh=True)
        assert (done, errors) == (250, []), (done, errors)

    def test_info_passes_the_product_check(self):
        self.assertTrue(self.client.ping())
        self.assertTrue(self.client.info()["version"]["number"].startswith("8.19."))

    def test_get_update_delete(self):
        self.client.index(index=INDEX, id="u", document={"id": 900, "title": "before"})
        self.assertEqual(self.client.get(index=INDEX, id="u")["_source"]["title"], "before")  # realtime
        self.assertEqual(self.client.update(index=INDEX, id="u", doc={"title": "after"})["result"], "updated")
        got = self.client.get(index=INDEX, id="u")
        self.assertEqual((got["_source"]["title"], got["_version"]), ("after", 2))
        with self.assertRaises(elasticsearch.ConflictError):
            self.client.index(index=INDEX, id="u", document={}, if_seq_no=0, if_primary_term=1)
        self.client.index(index=INDEX, id="u", document={"id": 901}, if_seq_no=got["_seq_no"], if_primary_term=got["_primary_term"])
        self.assertEqual(self.client.delete(index=INDEX, id="u", refresh=True)["result"], "deleted")
        self.assertFalse(self.client.exists(index=INDEX, id="u"))
        with self.assertRaises(elasticsearch.NotFoundError): self.client.get(index=INDEX, id="u")

    def test_ids_with_slashes_and_spaces(self):
        self.client.index(index=INDEX, id="a/b c", document={"id": 902}, refresh=True)
        self.assertEqual(self.client.get(index=INDEX, id="a/b c")["_source"], {"id": 902})
        self.client.delete(index=INDEX, id="a/b c", refresh="wait_for")

    def test_bulk_helper_reports_each_refusal(self):
        actions = [{"_op_type": "create", "_index": INDEX, "_id": "1", "id": 1}, {"_op_type": "index", "_index": INDEX, "_id": "bad", "id": "abc"},
                   {"_op_type": "delete", "_index": INDEX, "_id": "none"}, {"_op_type": "update", "_index": INDEX, "_id": "2", "doc": {"title": "document number 2"}}]
        results = list(helpers.streaming_bulk(self.client, actions, raise_on_error=False))
        self.assertEqual([ok for ok, _ in results], [False, False, False, True])
        self.assertEqual(results[0][1]["create"]["error"]["type"], "version_conflict_engine_exception")
        self.assertEqual(results[1][1]["index"]["error"]["type"], "document_parsing_exception")
        self.assertEqual(results[2][1]["delete"]["result"], "not_found")
        self.assertEqual(results[3][1]["update"]["result"], "noop")

    def test_search(self):
        found = self.client.search(index=INDEX, query={"match": {"title": "number 42"}}, size=1, source_includes=["id", "title"])
        self.assertEqual(found["hits"]["hits"][0]["_source"], {"id": 42, "title": "document number 42"})
        self.assertEqual(found["hits"]["total"]["value"], 250)
        found = self.client.search(index=INDEX, size=0, aggs={"tags": {"terms": {"field": "tag"}, "aggs": {"mean": {"avg": {"field": "id"}}}},
                                                             "days": {"date_histogram": {"field": "when", "calendar_interval": "week"}}})
        self.assertEqual([(b["key"], b["doc_count"], b["mean"]["value"]) for b in found["aggregations"]["tags"]["buckets"]], [("even", 125, 124.0), ("odd", 125, 125.0)])
        self.assertEqual(sum(b["doc_count"] for b in found["aggregations"]["days"]["buckets"]), 250)

    def test_search_after(self):
        seen, after = [], None
        while True:
            page = self.client.search(index=INDEX, size=70, sort="id:asc", query={"range": {"id": {"lt": 250}}}, search_after=after)["hits"]["hits"]
            if not page: break
            seen += [hit["_id"] for hit in page]
            after = page[-1]["sort"]
        self.assertEqual(seen, [str(i) for i in range(250)])

    def test_knn(self):
        vector = [math.cos(30 / 40), math.sin(30 / 40), 0.5]
        hits = self.client.search(index=INDEX, knn={"field": "vector", "query_vector": vector, "k": 3, "num_candidates": 20})["hits"]["hits"]
        self.assertEqual(hits[0]["_id"], "30")
        self.assertAlmostEqual(hits[0]["_score"], 1.0, places=6)
        hits = self.client.search(index=INDEX, knn={"field": "vector", "query_vector": vector, "k": 3, "num_candidates": 20, "filter": [{"term": {"tag": "odd"}}]})["hits"]["hits"]
        self.assertTrue(all(int(hit["_id"]) % 2 for hit in hits))
        hybrid = self.client.search(index=INDEX, retriever={"rrf": {"retrievers": [
            {"standard": {"query": {"match": {"title": "30"}}}}, {"knn": {"field": "vector", "query_vector": vector, "k": 5, "num_candidates": 20}}]}})["hits"]["hits"]
        self.assertEqual(hybrid[0]["_id"], "30")
        self.assertAlmostEqual(hybrid[0]["_score"], 2 / 61, places=6)

    def test_errors(self):
        with self.assertRaises(elasticsearch.NotFoundError) as caught: self.client.search(index="py-none")
        self.assertEqual(caught.exception.error, "index_not_found_exception")
        with self.assertRaises(elasticsearch.BadRequestError) as caught: self.client.search(index=INDEX, query={"nosuch": {}})
        self.assertEqual(caught.exception.error, "parsing_exception")
        with self.assertRaises(elasticsearch.BadRequestError) as caught: self.client.search(index=INDEX, from_=9999, size=10)
        self.assertIn("Result window is too large", str(caught.exception.body))

    def test_mget_and_cat(self):
        docs = self.client.mget(index=INDEX, ids=["1", "none"])["docs"]
        self.assertEqual([d["found"] for d in docs], [True, False])
        self.assertIn(INDEX, str(self.client.cat.indices()))
        self.assertEqual(self.client.cat.indices(index=INDEX, format="json")[0]["index"], INDEX)
        self.assertIn(self.client.cluster.health()["status"], ("green", "yellow"))


if __name__ == "__main__":
    runner = unittest.main(exit=False)
    bad = len(runner.result.failures) + len(runner.result.errors)
    print(f"{runner.result.testsRun - bad} passed, {bad} failed")
    sys.exit(1 if bad or not runner.result.testsRun else 0)
