// Linux: finds the global and static variables of an app's module, so that each simulated process has its own.
//
// A module that is compiled with the plug-in exports a function `imrepl_app_module_NAME`, which returns the names of the
// variables that belong to the tests. The symbol table of the program lists all other variables of the module.

#if defined(__linux__)

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "../Internal.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

extern char *swift_demangle(const char *name, size_t length, char *output, size_t *size, uint32_t flags);

static const char marker[] = "imrepl_app_module_";

typedef struct {
    char prefix[256];     // of the module's own types and variables
    char extension[256];  // of its extensions of other modules' types
    const char *tests_names;
} app_module;

enum { module_limit = 64, object_head = 16 };

static int find_base(struct dl_phdr_info *info, size_t size, void *base) {
    (void)size;
    *(uintptr_t *)base = info->dlpi_addr;
    return 1;  // The program itself comes first.
}

static bool has_suffix(const char *text, size_t length, const char *suffix) {
    size_t count = strlen(suffix);
    return length >= count && memcmp(text + length - count, suffix, count) == 0;
}

// True if a list such as "one two " contains a name.
static bool contains_name(const char *list, const char *name, size_t length) {
    for (const char *start = list; *start != 0;) {
        const char *end = strchr(start, ' ');
        size_t count = end ? (size_t)(end - start) : strlen(start);
        if (count == length && memcmp(start, name, length) == 0) return true;
        if (!end) return false;
        start = end + 1;
    }
    return false;
}

// The variable's own name: of "static App.Manager.shared : App.Manager", "shared"; of "one-time initialization token for
// shared", the same.
static bool belongs_to_tests(const char *mangled, size_t length, const char *tests_names) {
    char *text = swift_demangle(mangled, length, NULL, NULL, 0);
    if (text == NULL) return true;
    char *type = strstr(text, " : ");
    if (type) *type = 0;
    size_t end = strlen(text);
    // A private name is "(name in _HASH)", also within the names of its members.
    if (end > 0 && text[end - 1] == ')') {
        while (end > 0 && strncmp(text + end, " in _", 5) != 0) end--;
    }
    size_t start = end;
    while (start > 0 && strchr(". (", text[start - 1]) == NULL) start--;
    bool result = end == start || contains_name(tests_names, text + start, end - start);
    free(text);
    return result;
}

static void read_symbols(const char *file, size_t size) {
    const ElfW(Ehdr) *head = (const ElfW(Ehdr) *)file;
    if (size < sizeof *head || memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_shoff == 0) return;
    const ElfW(Shdr) *sections = (const ElfW(Shdr) *)(file + head->e_shoff);
    const ElfW(Shdr) *table = NULL;
    for (int index = 0; index < head->e_shnum; index++) {
        if (sections[index].sh_type == SHT_SYMTAB) table = &sections[index];
    }
    if (table == NULL) return;
    const ElfW(Sym) *symbols = (const ElfW(Sym) *)(file + table->sh_offset);
    const char *names = file + sections[table->sh_link].sh_offset;
    size_t count = table->sh_size / sizeof *symbols;
    uintptr_t base = 0;
    dl_iterate_phdr(find_base, &base);

    static app_module modules[module_limit];
    int module_count = 0;
    // Locals come first in the table, and functions with C names are no locals.
    for (size_t index = table->sh_info; index < count && module_count < module_limit; index++) {
        const char *name = names + symbols[index].st_name;
        if (name[0] != 'i' || strncmp(name, marker, sizeof marker - 1) != 0) continue;
        if (ELF64_ST_TYPE(symbols[index].st_info) != STT_FUNC) continue;
        const char *module = name + sizeof marker - 1;
        const char *(*tests_names)(void) = (const char *(*)(void))(base + symbols[index].st_value);
        app_module *next = &modules[module_count++];
        snprintf(next->prefix, sizeof next->prefix, "$s%zu%s", strlen(module), module);
        snprintf(next->extension, sizeof next->extension, "%zu%sE", strlen(module), module);
        next->tests_names = tests_names();
    }
    if (module_count == 0) return;
    for (size_t index = 0; index < count; index++) {
        const ElfW(Sym) *symbol = &symbols[index];
        if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT || symbol->st_size == 0) continue;
        if (symbol->st_shndx == SHN_UNDEF || symbol->st_shndx >= head->e_shnum) continue;
        if (!(sections[symbol->st_shndx].sh_flags & SHF_WRITE)) continue;
        const char *name = names + symbol->st_name;
        // Skips variables that a macro made.
        if (name[0] != '$' || strstr(name + 1, "$s") != NULL) continue;
        for (int place = 0; place < module_count; place++) {
            const app_module *module = &modules[place];
            size_t whole = strlen(name);
            bool is_own = strncmp(name, module->prefix, strlen(module->prefix)) == 0;
            if (!is_own && strstr(name, module->extension) == NULL) continue;
            // The optimizer may split a variable: "….0", "….1".
            const char *dot = strchr(name, '.');
            size_t length = dot ? (size_t)(dot - name) : whole;
            bool is_variable = has_suffix(name, length, "vpZ") || has_suffix(name, length, "vp");
            bool is_token = has_suffix(name, length, "_Wz");
            // An object that the compiler placed in the program. Its head is left alone: there may be references to it.
            bool is_object = strstr(name, "_WZTv") != NULL && symbol->st_size > object_head;
            if (!is_variable && !is_token && !is_object) continue;
            if (belongs_to_tests(name, length, module->tests_names)) continue;
            size_t head = is_object ? object_head : 0;
            vt_add_global(base + symbol->st_value + head, symbol->st_size - head);
            break;
        }
    }
}

void vt_find_globals(void) {
    int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat info;
    if (fstat(file, &info) == 0 && info.st_size > 0) {
        void *bytes = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
        if (bytes != MAP_FAILED) {
            read_symbols(bytes, (size_t)info.st_size);
            munmap(bytes, (size_t)info.st_size);
        }
    }
    close(file);
}

#endif
