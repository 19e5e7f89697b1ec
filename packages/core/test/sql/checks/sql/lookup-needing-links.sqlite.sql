select (('[' || (select '[' || coalesce(string_agg("items"."json", ','), '') || ']'
      from (select ((('[' || cast("n"."id" as integer)) || (',' || "n"."needs")) || ((',' || "n"."shown") || ']')) as "json"
        from (select "x"."id", count(*) as "needs", count(*) as "shown"
          from (select value as "id"
            from json_each(?)) as "x"
          cross join "album_artist" as "t" on unlikely("t"."artistId" = "x"."id")
          where "t"."albumId" not in (select value as "id"
            from json_each(?)) group by "x"."id") as "n"
        order by "n"."id") as "items")) || ']') as json
-- ["[1,2,3]","[]"]
