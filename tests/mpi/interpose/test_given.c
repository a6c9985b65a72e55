/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Infos that the real library gives out are objects of the store, with its pairs in its order; its own are freed.
 */
#include <stdlib.h>
#include <unistd.h>

#include "interpose/calls.h"
#include "interpose/interpose.h"

/* The info of ours against the pairs that the library gives for the same question. */
static void assert_same(MPI_Info ours, MPI_Info real)
{
    int nkeys = -1, real_nkeys = -2;
    assert_true(is_ours(ours));
    assert_int_equal(MPI_Info_get_nkeys(ours, &nkeys), MPI_SUCCESS);
    assert_int_equal(PMPI_Info_get_nkeys(real, &real_nkeys), MPI_SUCCESS);
    assert_int_equal(nkeys, real_nkeys);
    for (int n = 0; n < nkeys; n++) {
        char key[MPI_MAX_INFO_KEY + 1] = "", value[MPI_MAX_INFO_VAL + 1] = "";
        char real_key[MPI_MAX_INFO_KEY + 1] = "", real_value[MPI_MAX_INFO_VAL + 1] = "";
        int flag = 0, real_flag = 0;
        assert_int_equal(MPI_Info_get_nthkey(ours, n, key), MPI_SUCCESS);
        assert_int_equal(PMPI_Info_get_nthkey(real, n, real_key), MPI_SUCCESS);
        assert_string_equal(key, real_key);
        assert_int_equal(MPI_Info_get(ours, key, MPI_MAX_INFO_VAL, value, &flag), MPI_SUCCESS);
        assert_int_equal(PMPI_Info_get(real, key, MPI_MAX_INFO_VAL, real_value, &real_flag), MPI_SUCCESS);
        assert_true(flag && real_flag);
        assert_string_equal(value, real_value);
    }
}

static void assert_can_be_changed(MPI_Info info)
{
    assert_int_equal(MPI_Info_set(info, "rcuinfo_test", "1"), MPI_SUCCESS);
    assert_int_equal(MPI_Info_delete(info, "rcuinfo_test"), MPI_SUCCESS);
    free_info(info);
}

/* The function is asked by both names: ours has the pairs of the library's own, among them this one, if not NULL. */
#define ASSERT_GIVEN(key, value, name, ...)                                                                            \
    do {                                                                                                               \
        MPI_Info info = MPI_INFO_NULL, real = MPI_INFO_NULL;                                                           \
        const char *wanted_key = (key);                                                                                \
        assert_int_equal(MPI_##name(__VA_ARGS__, &info), MPI_SUCCESS);                                                 \
        assert_int_equal(PMPI_##name(__VA_ARGS__, &real), MPI_SUCCESS);                                                \
        assert_same(info, real);                                                                                       \
        if (wanted_key)                                                                                                \
            assert_value(info, wanted_key, value);                                                                     \
        assert_can_be_changed(info);                                                                                   \
        assert_int_equal(PMPI_Info_free(&real), MPI_SUCCESS);                                                          \
    } while (0)

static void of_a_communicator(void **state)
{
    MPI_Info set = make_info({"mpi_assert_no_any_source", "true"});
    MPI_Comm comm = MPI_COMM_NULL;
    (void)state;
    assert_int_equal(MPI_Comm_dup_with_info(MPI_COMM_WORLD, set, &comm), MPI_SUCCESS);
    free_info(set);
    ASSERT_GIVEN("mpi_assert_no_any_source", "true", Comm_get_info, comm);
    assert_int_equal(MPI_Comm_free(&comm), MPI_SUCCESS);
}

static void of_a_window(void **state)
{
    MPI_Info set = make_info({"no_locks", "true"}, {"same_size", "true"});
    MPI_Win win = MPI_WIN_NULL;
    void *memory = NULL;
    (void)state;
    assert_int_equal(MPI_Win_allocate(64, 1, set, MPI_COMM_WORLD, &memory, &win), MPI_SUCCESS);
    free_info(set);
    ASSERT_GIVEN(NULL, NULL, Win_get_info, win);
    assert_int_equal(MPI_Win_free(&win), MPI_SUCCESS);
}

static void of_a_file(void **state)
{
    MPI_Info set = make_info({"cb_buffer_size", "65536"});
    MPI_File file = MPI_FILE_NULL;
    char name[64];
    (void)state;
    snprintf(name, sizeof name, "interpose-given-%ld.tmp", (long)getpid());
    assert_int_equal(
        MPI_File_open(MPI_COMM_SELF, name, MPI_MODE_RDWR | MPI_MODE_CREATE | MPI_MODE_DELETE_ON_CLOSE, set, &file),
        MPI_SUCCESS);
    free_info(set);
    ASSERT_GIVEN("cb_buffer_size", "65536", File_get_info, file);
    assert_int_equal(MPI_File_close(&file), MPI_SUCCESS);

    /* As a profiling tool does: what the real library asks for on the way is its own affair. */
    uint64_t live = count_live();
    assert_int_equal(PMPI_File_open(MPI_COMM_SELF, "/dev/null", MPI_MODE_RDONLY, MPI_INFO_NULL, &file), MPI_SUCCESS);
    assert_int_equal(count_live(), live);
    assert_int_equal(MPI_File_close(&file), MPI_SUCCESS);
}

#if defined(RCUINFO__HAS_MPI_Session_init)

static void of_a_session(void **state)
{
    MPI_Info wanted = make_real("thread_level", "MPI_THREAD_MULTIPLE");
    MPI_Session session = MPI_SESSION_NULL;
    char size[16];
    (void)state;
    assert_int_equal(PMPI_Session_init(wanted, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    assert_int_equal(PMPI_Info_free(&wanted), MPI_SUCCESS);
    snprintf(size, sizeof size, "%d", size_of_world());
    ASSERT_GIVEN("thread_level", "MPI_THREAD_MULTIPLE", Session_get_info, session);
    ASSERT_GIVEN("mpi_size", size, Session_get_pset_info, session, "mpi://WORLD");
    assert_int_equal(PMPI_Session_finalize(&session), MPI_SUCCESS);
}

static void nothing_is_given_where_the_library_gives_nothing(void **state)
{
    MPI_Info info = MPI_INFO_NULL, real = MPI_INFO_NULL;
    MPI_Session session = MPI_SESSION_NULL;
    uint64_t live = count_live();
    (void)state;
    assert_int_equal(PMPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session), MPI_SUCCESS);
    /* Open MPI gives the size of any set. */
    int code = class_of(MPI_Session_get_pset_info(session, "mpi://NONE", &info));
    assert_int_equal(code, class_of(PMPI_Session_get_pset_info(session, "mpi://NONE", &real)));
    if (code == MPI_SUCCESS) {
        assert_same(info, real);
        assert_int_equal(PMPI_Info_free(&real), MPI_SUCCESS);
        free_info(info);
        info = MPI_INFO_NULL;
    }
    assert_int_equal(class_of(MPI_Session_get_info(session, NULL)), class_of(PMPI_Session_get_info(session, NULL)));
    assert_int_equal(PMPI_Session_finalize(&session), MPI_SUCCESS);
    assert_int_equal(class_of(MPI_Session_get_info(session, &info)), MPI_ERR_SESSION);
    assert_true(info == MPI_INFO_NULL);
    assert_int_equal(count_live(), live);
}

#endif

/* More pairs than any library gives, with the longest values: they come whole and in order. */
static void many_pairs(void **state)
{
    enum { MANY = 300 };
    static char keys[MANY][8];
    static struct pair pairs[MANY];
    static const char *given[2 * MANY];
    char *longest = make_text(MPI_MAX_INFO_VAL - 1, 'v', 'V');
    MPI_Info info = MPI_INFO_NULL;
    uint64_t conversions = count_conversions();
    int real_infos = spy_real_infos();
    (void)state;
    for (int n = 0; n < MANY; n++) {
        snprintf(keys[n], sizeof keys[n], "key%d", n);
        pairs[n] = (struct pair){keys[n], n % 3 ? "short" : longest};
        given[2 * n] = pairs[n].key;
        given[2 * n + 1] = pairs[n].value;
    }
    spy_give(given, MANY);
    spy_stub(true);
    assert_int_equal(MPI_Comm_get_info(MPI_COMM_WORLD, &info), MPI_SUCCESS);
    spy_stub(false);
    assert_string_equal(spy_name(), "MPI_Comm_get_info");
    assert_int_equal(spy_real_infos(), real_infos);
    assert_int_equal(count_conversions(), conversions + 1);
    contents_check(info, pairs, MANY, __FILE__, __LINE__);
    test_free(longest);
    free_info(info);
}

static void each_function_gives_one_of_ours(void **state)
{
    static const char *const given[] = {"b", "2", "a", "1"};
    int real_infos = spy_real_infos();
    (void)state;
    spy_give(given, 2);
    spy_stub(true);
    for (const struct gift *gift = gifts; gift < gifts + gifts_count; gift++) {
        MPI_Info info = MPI_INFO_NULL;
        assert_int_equal(gift->make(false, &info), MPI_SUCCESS);
        assert_string_equal(spy_name(), gift->name);
        assert_int_equal(spy_real_infos(), real_infos);
        assert_true(is_ours(info));
        assert_contents(info, {"b", "2"}, {"a", "1"});
        assert_can_be_changed(info);
    }
    spy_stub(false);
}

static void nothing_to_give_is_an_empty_info(void **state)
{
    (void)state;
    spy_stub(true);
    for (const struct gift *gift = gifts; gift < gifts + gifts_count; gift++) {
        MPI_Info empty = MPI_INFO_NULL, none = flavour_handle(0x12345678);
        spy_give(NULL, 0);
        assert_int_equal(gift->make(false, &empty), MPI_SUCCESS);
        assert_empty(empty);
        assert_can_be_changed(empty);
        spy_give(NULL, -1);
        assert_int_equal(gift->make(false, &none), MPI_SUCCESS);
        assert_true((none == MPI_INFO_NULL) == is_tool(gift->name));
        if (none != MPI_INFO_NULL) {
            assert_empty(none);
            assert_can_be_changed(none);
        }
    }
    spy_give(NULL, 0);
    spy_stub(false);
}

/* MPICH 5 says that it succeeded where a handler of the user's has had the error. */
static void what_is_not_written_stays(void **state)
{
    uint64_t live = count_live();
    (void)state;
    spy_give(NULL, -2);
    spy_stub(true);
    for (const struct gift *gift = gifts; gift < gifts + gifts_count; gift++) {
        MPI_Info info = flavour_handle(0x12345678);
        assert_int_equal(gift->make(false, &info), MPI_SUCCESS);
        assert_string_equal(spy_name(), gift->name);
        assert_true(info == flavour_handle(0x12345678));
    }
    spy_give(NULL, 0);
    spy_stub(false);
    assert_int_equal(count_live(), live);
}

static void what_the_library_says_is_its_own(void **state)
{
    uint64_t live = count_live();
    (void)state;
    assert_int_equal(class_of(MPI_Comm_get_info(MPI_COMM_NULL, &(MPI_Info){MPI_INFO_NULL})), MPI_ERR_COMM);
    for (const struct gift *gift = gifts; gift < gifts + gifts_count; gift++) {
        MPI_Info info = MPI_INFO_NULL, real = MPI_INFO_NULL;
        int code = class_of(gift->make(false, &info)), wanted = class_of(gift->make(true, &real));
        if (code != wanted) {
            print_error("%s gives %d and should give %d\n", gift->name, code, wanted);
            fail();
        }
        if (code == MPI_SUCCESS) {
            assert_same(info, real);
            free_info(info);
            assert_int_equal(PMPI_Info_free(&real), MPI_SUCCESS);
        }
        assert_int_equal(count_live(), live);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(of_a_communicator),
        cmocka_unit_test(of_a_window),
        cmocka_unit_test(of_a_file),
#if defined(RCUINFO__HAS_MPI_Session_init)
        cmocka_unit_test(of_a_session),
        cmocka_unit_test(nothing_is_given_where_the_library_gives_nothing),
#endif
        cmocka_unit_test(many_pairs),
        cmocka_unit_test(each_function_gives_one_of_ours),
        cmocka_unit_test(nothing_to_give_is_an_empty_info),
        cmocka_unit_test(what_is_not_written_stays),
        cmocka_unit_test(what_the_library_says_is_its_own),
    };
    INTERPOSE_RUN(tests);
}
