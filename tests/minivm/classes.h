/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The classes, methods and statics of the program that the virtual machine runs, and what they
 * are called. All of it is fixed after classes__init() and lives until the process ends.
 */
#ifndef MINIVM_CLASSES_H
#define MINIVM_CLASSES_H

#include "object.h"

enum class_number {
	CLASS_FILLER, /* no class: see object.h */
	CLASS_OBJECT,
	CLASS_BYTES,
	CLASS_OBJECTS,
	CLASS_ENTRIES,
	CLASS_STRING,
	CLASS_MAP,
	CLASS_ENTRY,
	CLASS_RECORD,
	CLASS_CUSTOMER,
	CLASS_ADDRESS,
	CLASS_ORDER,
	CLASS_LINE,
	CLASS_PRODUCT,
	CLASS_SESSION,
	CLASS_NODE,
	CLASS_LIST,
	CLASS_CELL,
	CLASS_BUFFER,
	CLASS_FILE,
	CLASS_WEAK,
	CLASS_WIDE,
	CLASS_THREAD,
	CLASS_MIRROR,
	CLASS_ORDER_CACHE,
	CLASS_STORE,
	CLASSES
};

/* Reference fields by position, as the table in classes.c names them. */
enum { STRING_VALUE };
enum { MAP_TABLE };
enum { ENTRY_KEY, ENTRY_VALUE, ENTRY_NEXT };
enum { RECORD_TAG };
enum { CUSTOMER_NAME = 1, CUSTOMER_ADDRESS, CUSTOMER_ORDERS, CUSTOMER_REFERRER };
enum { ADDRESS_STREET, ADDRESS_CITY };
enum { ORDER_CUSTOMER = 1, ORDER_LINES, ORDER_NEXT, ORDER_NOTE };
enum { LINE_PRODUCT, LINE_NEXT };
enum { PRODUCT_NAME, PRODUCT_CATEGORY };
enum { SESSION_USER, SESSION_ATTRIBUTES, SESSION_BUFFER };
enum { NODE_LEFT, NODE_RIGHT, NODE_VALUE };
enum { LIST_HEAD, LIST_TAIL };
enum { CELL_ITEM, CELL_NEXT };
enum { BUFFER_DATA };
enum { FILE_PATH };
enum { WEAK_QUEUE, WEAK_REFERENT };
enum { THREAD_NAME, THREAD_LOCALS };
enum { MIRROR_NAME, MIRROR_SELF };
enum { CACHE_BY_ID, CACHE_LATEST };

struct name {
	char *text; /* no terminator */
	size_t bytes;
};

struct class {
	struct name name;
	struct name loader, module; /* no bytes: it is not told */
	unsigned super;	     /* CLASS_FILLER: none */
	uint32_t flags;	     /* enum gctrace_class_flags */
	uint32_t bytes;	     /* of an instance, 0: varies */
	unsigned fields;     /* reference fields, those of the super classes first */
	struct name *field;
	struct name joined;  /* the fields' names, each ended by a zero byte */
	unsigned first_static, statics; /* in static_slots[] */
};

extern struct class classes[CLASSES];

enum method_kind { METHOD_JIT, METHOD_INTERPRETED, METHOD_NATIVE, METHOD_NATIVE_GC, METHOD_COM,
		   METHOD_FAST_INTERPRETED };

enum method_number {
	METHOD_NONE,
	METHOD_RUN,
	METHOD_SERVE,
	METHOD_PARSE,
	METHOD_NEW_CUSTOMER,
	METHOD_NEW_ORDER,
	METHOD_NEW_STRING,
	METHOD_PLACE_ORDER,
	METHOD_SESSION,
	METHOD_TREE,
	METHOD_LISTS,
	METHOD_PUT,
	METHOD_RESIZE,
	METHOD_HANDLES,
	METHOD_PIN,
	METHOD_LARGE,
	METHOD_FINALIZE,
	METHOD_START,
	METHODS
};

struct method {
	struct name name;
	unsigned class_;
	enum method_kind kind;
};

extern struct method methods[METHODS];

/* Static reference fields, by number in static_slots[]. */
enum static_number {
	STATIC_STORE_SHARDS,
	STATIC_STORE_CATALOGUE,
	STATIC_STORE_EMPTY,
	STATIC_SESSIONS,
	STATIC_STRINGS,
	STATIC_CACHE,
	STATICS
};

struct static_field {
	struct name name;
	unsigned class_;
	unsigned position; /* among the statics of its class */
};

extern struct static_field static_fields[STATICS];
extern struct object *static_slots[STATICS];

/* hostile: names with control characters, invalid UTF-8, and some of 64 KiB. */
void classes__init(bool hostile);

/* A name by the same rules, for what is named at run time; text is copied. */
struct name name__make(const char *text);

/* The class called `name`, or CLASS_FILLER. */
unsigned classes__find(const char *name);

#endif
