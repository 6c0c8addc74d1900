from hyperbaton.main import main

if __name__ == "__main__":
    main()
