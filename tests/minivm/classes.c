/* SPDX-License-Identifier: BSD-2-Clause */
#include "classes.h"

#include <gctrace/wire.h>
#include <stdio.h>
#include <string.h>

#define ARRAY GCTRACE_CLASS_ARRAY
#define BYTES GCTRACE_CLASS_BYTES
#define VARIABLE GCTRACE_CLASS_VARIABLE
#define WEAK GCTRACE_CLASS_WEAK
#define FINALIZABLE GCTRACE_CLASS_FINALIZABLE
#define INTERNAL GCTRACE_CLASS_INTERNAL

struct class classes[CLASSES];
struct method methods[METHODS];
struct static_field static_fields[STATICS];
struct object *static_slots[STATICS];
struct shape shapes[CLASSES];

/* fields: own reference fields, separated by spaces; words: plain ones, the first is verify's */
static const struct {
	const char *name;
	unsigned super;
	uint32_t flags;
	const char *fields;
	unsigned words;
} definitions[CLASSES] = {
	[CLASS_FILLER] = { "(free)", 0, INTERNAL, "", 0 },
	[CLASS_OBJECT] = { "Object", 0, 0, "", 1 },
	[CLASS_BYTES] = { "byte[]", CLASS_OBJECT, BYTES | VARIABLE, "", 0 },
	[CLASS_OBJECTS] = { "Object[]", CLASS_OBJECT, ARRAY | VARIABLE, "", 0 },
	[CLASS_ENTRIES] = { "HashMap.Entry[]", CLASS_OBJECTS, ARRAY | VARIABLE, "", 0 },
	[CLASS_STRING] = { "String", CLASS_OBJECT, 0, "value", 1 },
	[CLASS_MAP] = { "HashMap", CLASS_OBJECT, 0, "table", 3 },
	[CLASS_ENTRY] = { "HashMap.Entry", CLASS_OBJECT, 0, "key value next", 2 },
	[CLASS_RECORD] = { "shop.Record", CLASS_OBJECT, 0, "tag", 1 },
	[CLASS_CUSTOMER] = { "shop.Customer", CLASS_RECORD, 0, "name address orders referrer", 1 },
	[CLASS_ADDRESS] = { "shop.Address", CLASS_OBJECT, 0, "street city", 1 },
	[CLASS_ORDER] = { "shop.Order", CLASS_RECORD, 0, "customer lines next note", 3 },
	[CLASS_LINE] = { "shop.OrderLine", CLASS_OBJECT, 0, "product next", 2 },
	[CLASS_PRODUCT] = { "shop.Product", CLASS_OBJECT, 0, "name category", 2 },
	[CLASS_SESSION] = { "web.Session", CLASS_OBJECT, 0, "user attributes buffer", 4 },
	[CLASS_NODE] = { "parse.Node", CLASS_OBJECT, 0, "left right value", 1 },
	[CLASS_LIST] = { "List", CLASS_OBJECT, 0, "head tail", 2 },
	[CLASS_CELL] = { "List.Cell", CLASS_OBJECT, 0, "item next", 0 },
	[CLASS_BUFFER] = { "io.Buffer", CLASS_OBJECT, 0, "data", 2 },
	[CLASS_FILE] = { "io.File", CLASS_OBJECT, FINALIZABLE, "path", 2 },
	[CLASS_WEAK] = { "WeakReference", CLASS_OBJECT, WEAK, "queue referent", 1 },
	[CLASS_WIDE] = { "shop.Report", CLASS_RECORD, 0,
			 "row0 row1 row2 row3 row4 row5 row6 row7 row8 row9 row10 row11 row12 "
			 "row13 row14 row15 row16 row17 row18 row19 row20 row21 row22 row23 row24 "
			 "row25 row26 row27 row28 row29 row30 row31 row32 row33 row34 row35 row36",
			 1 },
	[CLASS_THREAD] = { "Thread", CLASS_OBJECT, INTERNAL, "name locals", 2 },
	[CLASS_MIRROR] = { "Class", CLASS_OBJECT, INTERNAL, "name self", 2 },
	[CLASS_ORDER_CACHE] = { "shop.OrderCache", CLASS_OBJECT, 0, "byId latest", 1 },
	[CLASS_STORE] = { "shop.Store", CLASS_OBJECT, 0, "", 1 },
};

static const struct {
	const char *name;
	unsigned class_;
	enum method_kind kind;
} method_definitions[METHODS] = {
	[METHOD_NONE] = { "(none)", CLASS_OBJECT, METHOD_NATIVE },
	[METHOD_RUN] = { "Thread.run", CLASS_THREAD, METHOD_JIT },
	[METHOD_SERVE] = { "Session.serve", CLASS_SESSION, METHOD_JIT },
	[METHOD_PARSE] = { "Node.parse", CLASS_NODE, METHOD_INTERPRETED },
	[METHOD_NEW_CUSTOMER] = { "Customer.<init>", CLASS_CUSTOMER, METHOD_JIT },
	[METHOD_NEW_ORDER] = { "Order.<init>", CLASS_ORDER, METHOD_JIT },
	[METHOD_NEW_STRING] = { "String.<init>", CLASS_STRING, METHOD_FAST_INTERPRETED },
	[METHOD_PLACE_ORDER] = { "Store.placeOrder", CLASS_STORE, METHOD_JIT },
	[METHOD_SESSION] = { "Session.refresh", CLASS_SESSION, METHOD_JIT },
	[METHOD_TREE] = { "Node.build", CLASS_NODE, METHOD_INTERPRETED },
	[METHOD_LISTS] = { "List.fill", CLASS_LIST, METHOD_JIT },
	[METHOD_PUT] = { "HashMap.put", CLASS_MAP, METHOD_JIT },
	[METHOD_RESIZE] = { "HashMap.resize", CLASS_MAP, METHOD_JIT },
	[METHOD_HANDLES] = { "Buffer.register", CLASS_BUFFER, METHOD_NATIVE },
	[METHOD_PIN] = { "Buffer.lock", CLASS_BUFFER, METHOD_COM },
	[METHOD_LARGE] = { "Report.render", CLASS_WIDE, METHOD_JIT },
	[METHOD_FINALIZE] = { "File.finalize", CLASS_FILE, METHOD_NATIVE_GC },
	[METHOD_START] = { "Store.main", CLASS_STORE, METHOD_NATIVE },
};

static const struct {
	const char *name;
	unsigned class_;
} static_definitions[STATICS] = {
	[STATIC_STORE_SHARDS] = { "shards", CLASS_STORE },
	[STATIC_STORE_CATALOGUE] = { "catalogue", CLASS_STORE },
	[STATIC_STORE_EMPTY] = { "empty", CLASS_STORE },
	[STATIC_SESSIONS] = { "active", CLASS_SESSION },
	[STATIC_STRINGS] = { "interned", CLASS_STRING },
	[STATIC_CACHE] = { "instance", CLASS_ORDER_CACHE },
};

/* What a class is from shows in its name, as the table above has it. */
static const struct {
	const char *prefix, *loader, *module;
} origins[] = {
	{ "shop.", "app", "shop-1.2" },
	{ "web.", "app", "web-3.0" },
	{ "parse.", "app", "shop-1.2" },
	{ "io.", "platform", NULL }, /* its module is never told */
	{ "", "boot", "base" },
};

static bool hostile_names;

/* What no program would call a class, but a file or a debugger's victim may. */
static const char *const evil[] = {
	"\x1b[31;5mred\x1b[0m\a", "\xff\xfe\xc3\x28 \xed\xa0\x80", "line\none\r\ttwo\x7f",
	"\"quote\\back/</script>", "\xe2\x80\xae\xef\xbb\xbf%s%n${IFS}", "",
};

struct name name__make(const char *text)
{
	static unsigned count;
	const char *more = hostile_names ? evil[count % (sizeof(evil) / sizeof(*evil))] : "";
	const size_t length = strlen(text), extra = strlen(more);
	const bool huge = hostile_names && count % 11 == 5;
	struct name name = { .bytes = huge ? 65536 : length + extra };

	count++;
	name.text = get_memory(NULL, name.bytes + 1);
	memset(name.text, 'A', name.bytes + 1);
	memcpy(name.text, text, length);
	memcpy(name.text + length, more, extra);
	name.text[name.bytes] = 0;
	return name;
}

static void join_fields(struct class *c)
{
	size_t bytes = 0;

	for (unsigned i = 0; i < c->fields; i++)
		bytes += c->field[i].bytes + 1;
	c->joined = (struct name){ .text = get_memory(NULL, bytes), .bytes = bytes };
	bytes = 0;
	for (unsigned i = 0; i < c->fields; i++) {
		memcpy(c->joined.text + bytes, c->field[i].text, c->field[i].bytes + 1);
		bytes += c->field[i].bytes + 1;
	}
}

static void add_own_fields(struct class *c, const char *text)
{
	char one[64];
	size_t n;

	for (; *text; text += n + (text[n] == ' ')) {
		n = strcspn(text, " ");
		snprintf(one, sizeof(one), "%.*s", (int)n, text);
		c->field = get_memory(c->field, (c->fields + 1) * sizeof(*c->field));
		c->field[c->fields++] = name__make(one);
	}
}

static void add_origin(struct class *c, const char *name)
{
	unsigned i = 0;

	while (strncmp(name, origins[i].prefix, strlen(origins[i].prefix)))
		i++;
	c->loader = name__make(origins[i].loader);
	if (origins[i].module)
		c->module = name__make(origins[i].module);
}

static void define_class(unsigned number)
{
	struct class *c = &classes[number];
	const uint32_t flags = definitions[number].flags;

	c->name = name__make(definitions[number].name);
	c->super = definitions[number].super;
	c->flags = flags;
	c->fields = classes[c->super].fields;
	c->field = get_memory(NULL, (c->fields + 1) * sizeof(*c->field));
	for (unsigned i = 0; i < c->fields; i++)
		c->field[i] = classes[c->super].field[i];
	add_own_fields(c, definitions[number].fields);
	add_origin(c, definitions[number].name);
	join_fields(c);

	struct shape *shape = &shapes[number];

	shape->all = (uint8_t)c->fields;
	shape->strong = (uint8_t)(flags & WEAK ? c->fields - 1 : c->fields);
	shape->lengths = !!(flags & ARRAY);
	shape->shift = flags & BYTES ? 0 : 3;
	shape->base = (uint16_t)(sizeof(struct object) +
				 8 * (c->fields + definitions[number].words));
	if (number == CLASS_FILLER)
		shape->base = 0;
	c->bytes = flags & VARIABLE ? 0 : shape->base;
}

void classes__init(bool hostile)
{
	hostile_names = hostile;
	for (unsigned i = 0; i < CLASSES; i++)
		define_class(i);
	for (unsigned i = 0; i < METHODS; i++)
		methods[i] = (struct method){ .name = name__make(method_definitions[i].name),
					      .class_ = method_definitions[i].class_,
					      .kind = method_definitions[i].kind };
	for (unsigned i = 0; i < STATICS; i++) {
		struct class *c = &classes[static_definitions[i].class_];

		if (!c->statics)
			c->first_static = i;
		static_fields[i] = (struct static_field){
			.name = name__make(static_definitions[i].name),
			.class_ = static_definitions[i].class_,
			.position = c->statics++,
		};
	}
}

unsigned classes__find(const char *name)
{
	for (unsigned i = 1; i < CLASSES; i++) {
		if (!strcmp(definitions[i].name, name))
			return i;
	}
	return CLASS_FILLER;
}
