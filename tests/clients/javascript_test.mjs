// The unmodified @elastic/elasticsearch client against a running server. usage: javascript_test.mjs URL CLIENT_HOME
import { test } from 'node:test'
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import path from 'node:path'

const [url, home] = process.argv.slice(2)
const { Client, errors } = createRequire(path.resolve(home, 'package.json'))('@elastic/elasticsearch')
const client = new Client({ node: url })
const index = 'js-client'

const documents = Array.from({ length: 250 }, (_, i) => ({
  id: i, title: `document number ${i}`, tag: i % 2 ? 'odd' : 'even', vector: [Math.cos(i / 40), Math.sin(i / 40), 0.5]
}))

test('info passes the product check', async () => {
  const info = await client.info()
  assert.match(info.version.number, /^8\.19\./)
  assert.equal(info.tagline, 'You Know, for Search')
  assert.equal(await client.ping(), true)
})

test('creates an index with a mapping and reads it back', async () => {
  await client.indices.delete({ index, ignore_unavailable: true })
  const created = await client.indices.create({
    index,
    mappings: { properties: { id: { type: 'integer' }, title: { type: 'text' }, tag: { type: 'keyword' }, vector: { type: 'dense_vector', dims: 3, similarity: 'cosine', index_options: { type: 'flat' } } } }
  })
  assert.deepEqual(created, { acknowledged: true, shards_acknowledged: true, index })
  const mapping = await client.indices.getMapping({ index })
  assert.equal(mapping[index].mappings.properties.vector.dims, 3)
  assert.equal(await client.indices.exists({ index }), true)
  assert.equal(await client.indices.exists({ index: 'js-none' }), false)
})

test('bulk helper indexes every document', async () => {
  const result = await client.helpers.bulk({
    datasource: documents, flushBytes: 2000, concurrency: 3, refreshOnCompletion: index,
    onDocument: doc => ({ index: { _index: index, _id: String(doc.id) } })
  })
  assert.equal(result.total, 250)
  assert.equal(result.successful, 250)
  assert.equal(result.failed, 0)
  assert.equal((await client.count({ index })).count, 250)
})

test('bulk helper reports what was refused, and goes on', async () => {
  const dropped = []
  const result = await client.helpers.bulk({
    datasource: [{ id: 1000 }, { id: 'not a number' }, { id: 1001 }], retries: 0,
    onDocument: doc => ({ create: { _index: index, _id: `x${doc.id}` } }),
    onDrop: doc => dropped.push(doc)
  })
  assert.equal(result.successful, 2)
  assert.equal(result.failed, 1)
  assert.equal(dropped[0].error.type, 'document_parsing_exception')
})

test('get, update, delete', async () => {
  assert.equal((await client.get({ index, id: '7' }))._source.title, 'document number 7')
  const updated = await client.update({ index, id: '7', doc: { title: 'changed' } })
  assert.equal(updated.result, 'updated')
  assert.equal(updated._version, 2)
  assert.equal((await client.update({ index, id: '7', doc: { title: 'changed' } })).result, 'noop')
  assert.equal((await client.get({ index, id: '7' }))._source.title, 'changed')
  assert.equal((await client.delete({ index, id: '7' })).result, 'deleted')
  assert.equal(await client.exists({ index, id: '7' }), false)
  await assert.rejects(client.get({ index, id: '7' }), e => e instanceof errors.ResponseError && e.statusCode === 404 && e.body.found === false)
  await client.index({ index, id: '7', document: documents[7], refresh: 'wait_for' })
})

test('search with query, sort, aggregation and source filter', async () => {
  const found = await client.search({
    index, query: { bool: { must: { match: { title: 'document' } }, filter: { term: { tag: 'odd' } } } },
    sort: [{ id: 'desc' }], size: 3, _source: ['id'], aggs: { tags: { terms: { field: 'tag' } } }
  })
  assert.deepEqual(found.hits.hits.map(h => h._source), [{ id: 249 }, { id: 247 }, { id: 245 }])
  assert.deepEqual(found.hits.total, { value: 125, relation: 'eq' })
  assert.deepEqual(found.aggregations.tags.buckets, [{ key: 'odd', doc_count: 125 }])
})

test('search_after walks every document once', async () => {
  const seen = new Set()
  let after
  while (true) {
    const page = await client.search({ index, size: 60, sort: [{ id: 'asc' }], query: { range: { id: { lt: 250 } } }, ...(after && { search_after: after }) })
    if (!page.hits.hits.length) break
    for (const hit of page.hits.hits) seen.add(hit._id)
    after = page.hits.hits.at(-1).sort
  }
  assert.equal(seen.size, 250)
})

test('knn, alone and with a filter', async () => {
  const knn = { field: 'vector', query_vector: documents[30].vector, k: 3, num_candidates: 50 }
  const nearest = await client.search({ index, knn })
  assert.equal(nearest.hits.hits[0]._id, '30')
  assert.ok(Math.abs(nearest.hits.hits[0]._score - 1) < 1e-6)
  const filtered = await client.search({ index, knn: { ...knn, filter: { term: { tag: 'odd' } } } })
  assert.deepEqual(filtered.hits.hits.map(h => h._id).slice(0, 2).sort(), ['29', '31'])
  assert.ok(['27', '33'].includes(filtered.hits.hits[2]._id))
})

test('errors arrive as typed response errors', async () => {
  const is = (type, status) => e => e instanceof errors.ResponseError && e.statusCode === status && e.body.error.type === type
  await assert.rejects(client.search({ index: 'js-none' }), is('index_not_found_exception', 404))
  await assert.rejects(client.search({ index, query: { nosuch: {} } }), is('parsing_exception', 400))
  await assert.rejects(client.create({ index, id: '1', document: {} }), is('version_conflict_engine_exception', 409))
  await assert.rejects(client.index({ index, id: '1', document: { id: 'abc' } }), is('document_parsing_exception', 400))
  await assert.rejects(client.indices.create({ index }), is('resource_already_exists_exception', 400))
})

test('mget, cat, cluster health, aliases', async () => {
  const got = await client.mget({ index, ids: ['1', 'none'] })
  assert.deepEqual(got.docs.map(d => d.found), [true, false])
  const cat = await client.cat.indices({ format: 'json', index })
  assert.equal(cat[0].index, index)
  const health = await client.cluster.health()
  assert.ok(['green', 'yellow'].includes(health.status))
  await client.indices.putAlias({ index, name: 'js-alias' })
  assert.equal((await client.count({ index: 'js-alias' })).count > 0, true)
  await client.indices.delete({ index })
})
